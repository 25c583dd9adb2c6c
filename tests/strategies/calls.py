"""Calls that resemble each other: few tools, arguments and results, so that they repeat and match."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

ARGUMENTS: list[str | None] = [
    None,
    "{}",
    '{"a":"x"}',
    '{"a": "x"}',
    '{"a":"7","b":1}',
    '{"b":1.0,"a":"7"}',
    '{"a":1}',
    '{"a":true}',
    '{"a":7,"command":"x 7"}',
    '{"path":"id=7","a":{"b":["x"]}}',
    '{"a":',
    '"x"',
]
"""Texts of arguments, the last ones bad."""

TEXTS = ["x", "7", "id=7", "", None]
"""Contents of results."""

_FEW_NAMES = st.sampled_from(["a", "a", "b", "a.b"])
_FEW_ARGUMENTS = st.sampled_from([ARGUMENTS[2], ARGUMENTS[2], *ARGUMENTS, *ARGUMENTS[-2:]])
_FEW_TEXTS = st.sampled_from(["x", *TEXTS])


@st.composite
def _steps(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Some parallel calls and, mostly, their results."""
    calls = [
        {"type": "tool_call", "tool_name": draw(_FEW_NAMES), "arguments": draw(_FEW_ARGUMENTS)}
        for _ in range(draw(st.sampled_from([1, 1, 2, 3])))
    ]
    results = [
        {"type": "tool_result", "tool_name": call["tool_name"], "content": draw(_FEW_TEXTS)}
        for call in draw(st.permutations(calls))
        if draw(st.sampled_from([True, True, True, False]))
    ]
    return [*calls, *results]


@st.composite
def _cycles(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A block of calls, some times over, with a call changed here and there."""
    block = draw(_steps()) + draw(_steps())
    events = [dict(event) for _ in range(draw(st.integers(1, 4))) for event in block]
    if draw(st.booleans()):
        event = draw(st.sampled_from(events))
        event["arguments" if event["type"] == "tool_call" else "content"] = draw(_FEW_ARGUMENTS)
    return events


_MARKS = st.sampled_from(
    [
        {"type": "user_message", "content": "go"},
        {"type": "assistant_message", "content": "x"},
        {"type": "reasoning", "content": "hm"},
        {"type": "turn_end"},
    ]
).map(lambda event: [dict(event)])

CALLS = st.lists(st.one_of(_steps(), _steps(), _cycles(), _MARKS), min_size=1, max_size=6).map(
    lambda parts: [event for part in parts for event in part]
)
"""Events of calls and results, in steps, turns and loops."""
