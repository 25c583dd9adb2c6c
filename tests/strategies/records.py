"""Trajectories: plausible ones, ones with faults, and ones that make no sense."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.strategies.usage import STAMPS, USAGE_DATA

TOOLS = ["a", "a.b", "ab", "b", "A", "b.c.d", "ä"]
NAMES = st.sampled_from([*TOOLS, "a", "a", "b", None, "", "a\x00", "\ud800"])
IDS = st.sampled_from([None, "", "1", "2", "3", "1", "c:0", "é"])
KINDS = [
    "user_message",
    "assistant_message",
    "reasoning",
    "tool_call",
    "tool_result",
    "skill_activation",
    "system",
    "error",
    "turn_start",
    "turn_end",
    "token_usage",
    "custom",
]
_PLAIN = ["id=7", "id=", "7", "77", "x", "X", " ", "\n", "true", '"', "ok", "done", "id=ab", "ab", "'", "\\"]
_ODD = ["Straße", "STRASSE", "é", "e\u0301", "İ", "ς", "Σ", "\x00", "\ud83d", "\ude00", "😀", "\u2028"]
_FRAGMENTS = st.sampled_from([*_PLAIN, *_ODD])
TEXTS = st.lists(_FRAGMENTS, max_size=5).map("".join)
CONTENTS = st.one_of(st.none(), TEXTS, TEXTS, TEXTS)

_SCALARS = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -1, 0.5, 2**53, 2**53 + 1, 2**70, 1e300, "", "1", "x", "é", "\ud800"]
)
_KEYS = st.sampled_from(["a", "b", "1", "", "é", "a.b"])
JSON = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=6,
)
JSON_OBJECTS = st.dictionaries(_KEYS, JSON, max_size=3)


def _dumped(value: Any) -> st.SearchStrategy[str]:
    """One value as text, escaped or not, compact or not."""
    return st.sampled_from(
        [
            json.dumps(value),
            json.dumps(value, ensure_ascii=False, separators=(",", ":")),
            json.dumps(value, indent=1),
        ]
    )


_NO_ARGUMENTS = ["", " \n", "null", " null ", "{}"]
_BAD_ARGUMENTS = [
    "[]",
    "{",
    '{"a":1',
    '{"a":NaN}',
    "NaN",
    '"{}"',
    "0",
    "true",
    "{'a':1}",
    "\ufeff{}",
    '{"a":01}',
]
_RARE_ARGUMENTS = ['{"a":1,"a":2}', '{"a":1e400}', '{"a":"\\ud800"}', '{"a":"\x00"}']
ARGUMENTS = st.one_of(
    st.none(),
    st.sampled_from([*_NO_ARGUMENTS, *_BAD_ARGUMENTS, *_RARE_ARGUMENTS]),
    JSON_OBJECTS.flatmap(_dumped),
    JSON_OBJECTS.flatmap(_dumped),
    JSON.flatmap(_dumped),
)

NUMBERS = st.sampled_from([None, 0, 1, 2, 3, -1, 7])
FLAGS = st.sampled_from([None, True, False])


def _event(kinds: st.SearchStrategy[str | None]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": kinds},
        optional={
            "content": CONTENTS,
            "tool_name": NAMES,
            "tool_call_id": IDS,
            "arguments": ARGUMENTS,
            "turn": NUMBERS,
            "step": NUMBERS,
            "is_error": FLAGS,
            "name": NAMES,
            "timestamp": st.one_of(st.none(), STAMPS),
            "data": USAGE_DATA,
        },
    )


SIDE_EVENTS = st.one_of(
    st.fixed_dictionaries({"type": st.just("token_usage"), "data": USAGE_DATA}),
    st.fixed_dictionaries({"type": st.sampled_from(["skill_activation", "system", "custom"]), "name": NAMES}),
    st.fixed_dictionaries({"type": st.sampled_from(["error", "turn_start", "turn_end"])}),
)
"""What is neither said nor done by the agent, but stands between."""

ODD_EVENTS = st.one_of(
    st.none(),
    _event(st.sampled_from([*KINDS, None, "", "x-odd", "Tool_call", "tool_call\x00", "\ud800"])),
    _event(st.sampled_from(["tool_call", "tool_result", "assistant_message", "user_message", "reasoning"])),
)


@st.composite
def rounds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A user message, some steps of parallel calls, their results in any order, an answer."""
    events: list[dict[str, Any]] = [{"type": "user_message", "content": draw(CONTENTS)}]
    for _ in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            events.append({"type": "reasoning", "content": draw(CONTENTS)})
        calls = [
            {
                "type": "tool_call",
                "tool_name": draw(NAMES),
                "tool_call_id": draw(IDS),
                "arguments": draw(ARGUMENTS),
            }
            for _ in range(draw(st.integers(1, 3)))
        ]
        events += calls
        for call in draw(st.permutations(calls))[: draw(st.integers(0, 3))]:
            result: dict[str, Any] = {"type": "tool_result", "content": draw(CONTENTS)}
            if draw(st.booleans()):
                result["tool_call_id"] = call["tool_call_id"]
            if draw(st.booleans()):
                result["tool_name"] = call["tool_name"]
            if draw(st.booleans()):
                result["is_error"] = draw(FLAGS)
            events.append(result)
    if draw(st.integers(0, 3)):
        events.append({"type": "assistant_message", "content": draw(CONTENTS)})
    for event in draw(st.lists(SIDE_EVENTS, max_size=2)):
        events.insert(draw(st.integers(0, len(events))), event)
    return events


@st.composite
def _numbered(draw: st.DrawFn, events: list[dict[str, Any] | None]) -> list[dict[str, Any] | None]:
    """The events with turns and steps recorded on none, some or all of them, and now and then all times."""
    for field in ("turn", "step"):
        mode = draw(st.sampled_from(["as they are", "none", "some", "all"]))
        for event in events:
            if event is None or mode == "as they are":
                continue
            event.pop(field, None)
            if mode == "all" or (mode == "some" and draw(st.booleans())):
                event[field] = draw(st.integers(0, 3))
    if draw(st.integers(0, 3)) == 3:
        for event in events:
            if event is not None:
                event["timestamp"] = draw(STAMPS)
    return events


PLAUSIBLE = st.lists(rounds(), min_size=1, max_size=3).map(
    lambda parts: [event for part in parts for event in part]
)
EVENTS = st.one_of(PLAUSIBLE, st.lists(ODD_EVENTS, min_size=1, max_size=8)).flatmap(_numbered)
_NO_EVENTS = st.one_of(st.none(), st.builds(list))


_OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    "output": CONTENTS,
    "error": st.sampled_from([None, None, None, "", "no disk", "\ud800"]),
    "sample_id": st.sampled_from([None, "s1", "s2", "S1", "[s]", "s\n1"]),
    "tags": st.one_of(
        st.none(), st.dictionaries(st.sampled_from(["k", "l"]), st.sampled_from(["v", "w", "\ud800"]))
    ),
}


def rows(
    events: st.SearchStrategy[Any] | None = None, **columns: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    """Records without ids; `columns` are added to those that every check may meet, and events to its own.

    Three of four have all of `columns`: where one is missing, most checks have nothing to look at.
    """
    more = [] if events is None else [events.flatmap(_numbered)] * 4
    given = {"events": st.one_of(EVENTS, EVENTS, EVENTS, _NO_EVENTS, *more)}
    others = {name: column for name, column in _OPTIONAL.items() if name not in columns}
    complete = st.fixed_dictionaries({**given, **columns}, optional=others)
    partial = st.fixed_dictionaries(given, optional={**_OPTIONAL, **columns})
    return st.one_of(complete, complete, complete, partial)


def record_lists(**columns: st.SearchStrategy[Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Some records with distinct ids."""

    def number(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{"trajectory_id": f"t{at}", **row} for at, row in enumerate(found)]

    return st.lists(rows(**columns), min_size=1, max_size=5).map(number)
