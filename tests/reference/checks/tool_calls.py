"""tool-calls: certain calls were made, others not, some in sequence or in parallel."""

from __future__ import annotations

import decimal
import json
from collections.abc import Callable
from typing import Any

from graders.outcome import AbstainCode
from tests.reference import json_values, patterns
from tests.reference.judgement import Judgement, Twin, abstain, decide
from tests.reference.reading import Event, View

TYPE = "tool-calls"

Open = frozenset[str]
"""What stands between a call and an entry: nothing, bad arguments, a search out of time, or both."""

_BAD, _LATE = "bad arguments", "out of time"
_Meets = Callable[[int, dict[str, Any]], bool]
"""Whether the call at an index meets an entry."""


_LISTS = ("required", "disallowed", "sequence", "parallel")


def _judge(config: dict[str, Any], view: View) -> Judgement:
    lists = {kind: [_entry(item) for item in config.get(kind) or []] for kind in _LISTS}
    between = {
        (at, id(entry)): _between(entry, at, call, view)
        for entries in lists.values()
        for entry in entries
        for at, call in view.of_type("tool_call")
    }

    def meets(at: int, entry: dict[str, Any]) -> bool:
        return between[at, id(entry)] == frozenset()

    def could_meet(at: int, entry: dict[str, Any]) -> bool:
        """Whether it would, had its bad arguments been as wanted."""
        return between[at, id(entry)] in (frozenset(), frozenset({_BAD}))

    if any(open_ends is not None and _LATE in open_ends for open_ends in between.values()):
        return abstain(AbstainCode.TIMEOUT)
    for entry in lists["disallowed"]:
        hits = [at for at, _ in view.of_type("tool_call") if meets(at, entry)]
        if hits:
            return decide(passed=False, event_index=hits[0])
    if not _all_made(lists, meets, view):
        return decide(passed=False, is_doubtful=_all_made(lists, could_meet, view))
    # A pass rests on the first call of what is required, or on no call at all.
    first = [at for at in _answered(view) if lists["required"] and meets(at, lists["required"][0])]
    return decide(passed=True, event_index=first[0] if first else None)


def _entry(item: str | dict[str, Any]) -> dict[str, Any]:
    return {"name": item} if isinstance(item, str) else dict(item)


def _between(entry: dict[str, Any], at: int, call: Event, view: View) -> Open | None:
    """What stands between the call and the entry; None where a filter does not hold for certain."""
    open_ends: set[str] = set()
    for test in (_test_name, _test_place, _test_result, _test_arguments):
        try:
            answer = test(entry, at, call, view)
        except TimeoutError:
            answer = _LATE
        if answer is False:
            return None
        if answer is not True:
            open_ends.add(answer)
    return frozenset(open_ends)


def _test_name(entry: dict[str, Any], at: int, call: Event, view: View) -> bool | str:
    return "name" not in entry or patterns.is_found(entry["name"], call.get("tool_name"))


def _test_place(entry: dict[str, Any], at: int, call: Event, view: View) -> bool | str:
    step = view.steps.get(at)
    last = max(at for at, _ in view.of_type("tool_call"))
    return (
        ("at_step" not in entry or step == entry["at_step"])
        and ("before_step" not in entry or (step is not None and step < entry["before_step"]))
        and ("final" not in entry or (at == last) == entry["final"])
    )


def _test_result(entry: dict[str, Any], at: int, call: Event, view: View) -> bool | str:
    if "result" not in entry:
        return True
    return at in view.results and patterns.is_found(entry["result"], view.results[at][1].get("content"))


def _test_arguments(entry: dict[str, Any], at: int, call: Event, view: View) -> bool | str:
    texts = [
        *(entry.get("args") or {}).items(),
        *((key, entry[key]) for key in ("command", "path") if key in entry),
    ]
    arguments = json_values.arguments(call.get("arguments"))
    if arguments is json_values.BAD and texts:
        return _BAD
    seen = call["arguments"] if arguments is json_values.BAD else _compact(arguments)
    return ("pattern" not in entry or patterns.is_found(entry["pattern"], seen)) and all(
        isinstance(arguments.get(key), str) and patterns.is_found(pattern, arguments[key])
        for key, pattern in texts
    )


def _compact(value: Any) -> str:
    """The value as JSON with nothing between its parts, written part by part."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_compact(key)}:{_compact(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_compact, value)) + "]"
    return f"{value:f}" if isinstance(value, decimal.Decimal) else json.dumps(value, ensure_ascii=False)


def _answered(view: View) -> list[int]:
    return [at for at, _ in view.of_type("tool_call") if at in view.results]


def _all_made(lists: dict[str, list[dict[str, Any]]], meets: _Meets, view: View) -> bool:
    """Whether required, sequence and parallel hold; they count a call only with its result."""
    answered = _answered(view)
    has_required = all(
        sum(meets(at, entry) for at in answered) >= entry.get("min_count", 1) for entry in lists["required"]
    )
    steps = {view.steps[at] for at in answered if at in view.steps}
    has_parallel = not lists["parallel"] or any(
        _can_serve(lists["parallel"], [at for at in answered if view.steps.get(at) == step], meets)
        for step in steps
    )
    return has_required and has_parallel and _is_in_order(lists["sequence"], answered, meets)


def _can_serve(entries: list[dict[str, Any]], calls: list[int], meets: _Meets) -> bool:
    """Whether each entry can have a call of its own, by trying every call for the first entry."""
    if not entries:
        return True
    return any(
        meets(at, entries[0]) and _can_serve(entries[1:], [other for other in calls if other != at], meets)
        for at in calls
    )


def _is_in_order(entries: list[dict[str, Any]], calls: list[int], meets: _Meets) -> bool:
    """Whether each entry can have a call after the one before, by trying every call for the first entry."""
    if not entries:
        return True
    return any(
        meets(at, entries[0]) and _is_in_order(entries[1:], calls[place + 1 :], meets)
        for place, at in enumerate(calls)
    )


TWIN = Twin(_judge)
