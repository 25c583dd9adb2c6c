"""Loops: how often a block of calls repeats without a gap (SEMANTICS section 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.reference import json_values
from tests.reference.budgets import is_listed
from tests.reference.reading import Event, View

Call = tuple[Event, str | None, bool]
"""A watched call, the text of its result, and whether it has a result."""


def watched_calls(config: dict[str, Any], view: View) -> list[Call]:
    """The calls that are looked at, in order."""
    calls: list[Call] = []
    for at, call in view.of_type("tool_call"):
        if is_listed(config, call.get("tool_name")):
            result = view.results[at][1] if at in view.results else None
            calls.append((call, result and result.get("content"), result is not None))
    return calls


def longest_run(config: dict[str, Any], match: str, calls: list[Call], *, waive_bad: bool = False) -> int:
    """The most often that a block of at most max_cycle_period calls repeats without a gap.

    Args:
        config: of the check.
        match: what makes two calls the same action.
        calls: those to look at.
        waive_bad: whether bad arguments may be whatever makes the longest run.
    """
    longest = 0
    for period in range(1, config.get("max_cycle_period", 1) + 1):
        for start in range(len(calls)):
            times = 1
            # Another block repeats when its calls are those of every block before it, one by one.
            while start + (times + 1) * period <= len(calls) and all(
                _is_same(
                    match,
                    calls[start + earlier * period + place],
                    calls[start + times * period + place],
                    waive_bad,
                )
                for earlier in range(times)
                for place in range(period)
            ):
                times += 1
            if start + period <= len(calls):
                longest = max(longest, times)
    return longest


def _is_same(match: str, left: Call, right: Call, waive_bad: bool) -> bool:
    if left[0].get("tool_name") != right[0].get("tool_name"):
        return False
    return _SENSES[match](left, right, waive_bad)


def _same_observation(left: Call, right: Call, waive_bad: bool) -> bool:
    return left[2] and right[2] and left[1] == right[1]


def _same_name(left: Call, right: Call, waive_bad: bool) -> bool:
    return True


def _same_arguments(left: Call, right: Call, waive_bad: bool) -> bool:
    one, other = (json_values.arguments(call[0].get("arguments")) for call in (left, right))
    if json_values.BAD in (one, other):
        return waive_bad
    return json_values.is_equal(one, other)


_SENSES: dict[str, Callable[[Call, Call, bool], bool]] = {
    "observation": _same_observation,
    "name": _same_name,
    "name-args": _same_arguments,
}
