"""trajectory-match: the calls made are the calls of a reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graders.outcome import AbstainCode
from tests.reference import json_values
from tests.reference.judgement import Judgement, Twin, abstain, decide
from tests.reference.paths import value_at
from tests.reference.reading import Event, View

TYPE = "trajectory-match"

_Fits = Callable[[int, int], bool]
"""Whether the reference call at one place is the actual call at another."""


def _judge(config: dict[str, Any], view: View) -> Judgement:
    reference = _reference(config, view)
    if reference is None:
        return abstain(AbstainCode.SETUP_INVALID)
    ignored = config.get("ignore", [])
    reference = [call for call in reference if call[0] not in ignored]
    actual = [call for _, call in view.of_type("tool_call") if call.get("tool_name") not in ignored]

    def fits(waive_bad: bool) -> _Fits:
        return lambda expected, made: _is_call(
            reference[expected], actual[made], config.get("args", "exact"), waive_bad=waive_bad
        )

    mode, sizes = config.get("mode", "exact"), (len(reference), len(actual))
    passed, matched = _compare(mode, *sizes, fits(waive_bad=False))
    could_pass, _ = _compare(mode, *sizes, fits(waive_bad=True))
    counts = (matched, len(actual), len(reference))
    return decide(passed, is_doubtful=could_pass, counts=counts)


def _reference(config: dict[str, Any], view: View) -> list[tuple[str, dict[str, Any] | None]] | None:
    """The names and arguments of the reference calls; None where the sample gives no such list."""
    if "calls" in config:
        return [(call["tool"], call.get("arguments")) for call in config["calls"]]
    data = json_values.parse(view.record.get("reference") or "")
    items = value_at(data, config["referencePath"]) if isinstance(data, dict) else None
    if not isinstance(items, list):
        return None
    calls: list[tuple[str, dict[str, Any] | None]] = []
    for item in items:
        if not isinstance(item, dict):
            return None
        name = item.get("tool", item.get("name"))
        arguments = item.get("arguments", item.get("args", item.get("kwargs")))
        if isinstance(arguments, str):  # as calls are often recorded
            arguments = json_values.arguments(arguments)
        if not isinstance(name, str) or not name or not isinstance(arguments, (dict, type(None))):
            return None
        calls.append((name, arguments))
    return calls


def _is_call(
    expected: tuple[str, dict[str, Any] | None], made: Event, comparison: str, *, waive_bad: bool
) -> bool:
    name, wanted = expected
    if made.get("tool_name") != name:
        return False
    if wanted is None or comparison == "ignore":
        return True
    arguments = json_values.arguments(made.get("arguments"))
    if arguments is json_values.BAD:
        return waive_bad
    is_as_wanted = json_values.is_equal if comparison == "exact" else json_values.is_contained
    return is_as_wanted(wanted, arguments)


def _compare(mode: str, n_reference: int, n_actual: int, fits: _Fits) -> tuple[bool, int]:
    """Whether the calls agree in this mode, and how many matched."""
    if mode == "exact":
        is_same = n_reference == n_actual and all(fits(at, at) for at in range(n_actual))
        return is_same, _most_in_order(n_reference, n_actual, fits)
    if mode == "in_order":
        matched = _most_in_order(n_reference, n_actual, fits)
        return matched == n_reference, matched
    matched = _most_in_any_order(n_reference, n_actual, fits)
    has_all_reference, has_all_actual = matched == n_reference, matched == n_actual
    if mode == "unordered":
        return has_all_reference and has_all_actual, matched
    return (has_all_actual if mode == "subset" else has_all_reference), matched


def _most_in_order(n_reference: int, n_actual: int, fits: _Fits) -> int:
    """The most reference calls that have actual calls in their order, by what came before each pair."""
    most: dict[tuple[int, int], int] = {}
    for expected in range(n_reference):
        for made in range(n_actual):
            before = most.get((expected - 1, made - 1), 0) + fits(expected, made)
            most[expected, made] = max(
                before, most.get((expected - 1, made), 0), most.get((expected, made - 1), 0)
            )
    return most.get((n_reference - 1, n_actual - 1), 0)


def _most_in_any_order(n_reference: int, n_actual: int, fits: _Fits) -> int:
    """The most reference calls that have actual calls of their own: every set that can be served at once."""
    served = {frozenset[int]()}
    for made in range(n_actual):
        served |= {
            some | {expected}
            for some in served
            for expected in range(n_reference)
            if expected not in some and fits(expected, made)
        }
    return max(map(len, served))


TWIN = Twin(_judge)
