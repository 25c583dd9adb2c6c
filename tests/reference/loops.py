"""Loops: how often a block of calls repeats without a gap (SEMANTICS section 6)."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.reference import json_values
from tests.reference.budgets import is_listed
from tests.reference.reading import Event, View


class Watched(NamedTuple):
    """A call that is looked at, where it stands in the record, and its result."""

    at: int
    call: Event
    result: Event | None


def watched_calls(config: dict[str, Any], view: View) -> list[Watched]:
    """The calls that are looked at, in order."""
    return [
        Watched(at, call, view.results[at][1] if at in view.results else None)
        for at, call in view.of_type("tool_call")
        if is_listed(config, call.get("tool_name"))
    ]


def longest_run(
    config: dict[str, Any], match: str, calls: list[Watched], *, waive_bad: bool = False
) -> tuple[int, int | None]:
    """How often the most repeated block repeats, and the event that first makes it so often.

    Args:
        config: of the check; blocks have at most its max_cycle_period calls.
        match: what makes two calls the same action.
        calls: those to look at.
        waive_bad: whether bad arguments may be whatever makes the longest run.
    """
    same = [[_is_same(match, one, other, waive_bad) for other in calls] for one in calls]
    longest, event_index = 0, None
    for period in range(1, config.get("max_cycle_period", 1) + 1):
        for end in range(period, len(calls) + 1):
            times = 1
            while (times + 1) * period <= end and _are_repeats(same, end - (times + 1) * period, end, period):
                times += 1
            if times > longest:
                longest, event_index = times, calls[end - 1].at
    return longest, event_index


def _are_repeats(same: list[list[bool]], start: int, end: int, period: int) -> bool:
    """Whether the calls in a range that are so many places apart are the same, each with each."""
    return all(same[one][other] for one in range(start, end) for other in range(one + period, end, period))


def _is_same(match: str, one: Watched, other: Watched, waive_bad: bool) -> bool:
    if one.call.get("tool_name") != other.call.get("tool_name"):
        return False
    if match == "name":
        return True
    if match == "observation":
        if one.result is None or other.result is None:
            return False
        return one.result.get("content") == other.result.get("content")
    arguments = [json_values.arguments(each.call.get("arguments")) for each in (one, other)]
    if any(each is json_values.BAD for each in arguments):
        return waive_bad
    return json_values.is_equal(*arguments)
