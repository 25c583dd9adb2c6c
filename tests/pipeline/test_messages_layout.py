"""The messages layout: one table of what a chat becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.trajectory import EVENT_FIELDS
from pipeline.sources.layouts.event_rows import UnreadableError
from pipeline.sources.layouts.messages import events_of, events_of_text
from tests.strategies.records import JSON

SHORT = {
    "user_message": "user",
    "assistant_message": "say",
    "reasoning": "think",
    "tool_call": "call",
    "tool_result": "result",
    "system": "system",
    "custom": "custom",
}


def _shown(events: list[Any] | None) -> list[str] | None:
    """Each event on one line: its type, its step, and whatever else is not null."""
    if events is None:
        return None
    lines: list[str] = []
    for event in events:
        row = dict(zip(EVENT_FIELDS, event, strict=True))
        head = SHORT[row.pop("type")] + ("" if (step := row.pop("step")) is None else str(step))
        rest = [f"{name}={value}" for name, value in row.items() if value is not None and name != "content"]
        content = [] if row["content"] is None else [repr(row["content"])]
        lines.append(" ".join([head, *content, *rest]))
    return lines


def _user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _assistant(content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


_USE = {"type": "tool_use", "id": "u1", "name": "add", "input": {"a": 1, "b": "é"}}
_RESULT = {"type": "tool_result", "tool_use_id": "u1", "content": "3"}
_NESTED = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}

TABLE: dict[str, tuple[list[dict[str, Any] | None], list[str]]] = {
    "nothing": ([], []),
    "roles": (
        [
            {"role": "system", "content": "s"},
            {"role": "developer", "content": "d"},
            _user("u"),
            _assistant("a"),
        ],
        ["system 's'", "system 'd'", "user 'u'", "say0 'a'"],
    ),
    "another role": ([{"role": "ipython", "content": "x"}], ["custom 'x' name=ipython"]),
    "no role": ([{"content": "x"}], ["custom 'x'"]),
    "null content": ([_user(None), _assistant(None)], ["user", "say0 ''"]),
    "absent content": ([{"role": "assistant"}], ["say0 ''"]),
    "empty content": ([_user(""), _assistant("")], ["user ''", "say0 ''"]),
    "scalar content": (
        [_assistant(5), _assistant(True), _assistant(0)],
        ["say0 '5'", "say1 'true'", "say2 '0'"],
    ),
    "object content": ([_user({"b": 1, "a": "é"})], ['user \'{"b":1,"a":"é"}\'']),
    "a list that is no block list": (
        [_user(["a", 1]), _user([{"text": "x"}]), _user([{"type": 1}])],
        ["user '[\"a\",1]'", 'user \'[{"text":"x"}]\'', "user '[{\"type\":1}]'"],
    ),
    "an empty block list": ([_user([]), _assistant([])], ["user ''", "say0 ''"]),
    "text blocks": (
        [
            _assistant(
                [
                    {"type": "text", "text": "a"},
                    {"type": "image", "url": "x"},
                    {"type": "text", "content": "b"},
                ]
            )
        ],
        ["say0 'a\\nb'"],
    ),
    "a text block under content where text is null": (
        [_assistant([{"type": "text", "text": None, "content": "b"}])],
        ["say0 'b'"],
    ),
    "thinking blocks": (
        [_assistant([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}])],
        ["think0 'hm'", "say0 'a'"],
    ),
    "reasoning beside the content": ([_assistant("a", reasoning_content="hm")], ["think0 'hm'", "say0 'a'"]),
    "empty reasoning": ([_assistant("a", reasoning_content="")], ["say0 'a'"]),
    "a nested call": (
        [_assistant(None, tool_calls=[_NESTED])],
        ['call0 tool_name=add tool_call_id=c1 arguments={"a": 1}'],
    ),
    "a flat call": (
        [_assistant("", tool_calls=[{"id": "c1", "name": "add", "arguments": {"b": [1.0], "a": None}}])],
        ['call0 tool_name=add tool_call_id=c1 arguments={"b":[1.0],"a":null}'],
    ),
    "an older call and its result": (
        [
            _assistant(None, function_call={"name": "add", "arguments": "{}"}),
            {"role": "function", "name": "add", "content": "3"},
        ],
        ["call0 tool_name=add arguments={}", "result '3' tool_name=add"],
    ),
    "calls without arguments": (
        [
            _assistant(
                None,
                tool_calls=[
                    {"id": "1", "function": {"name": "a"}},
                    {"name": "b", "arguments": None},
                    {"name": "c", "arguments": ""},
                ],
            )
        ],
        ["call0 tool_name=a tool_call_id=1", "call0 tool_name=b", "call0 tool_name=c arguments="],
    ),
    "broken arguments stay as they are": (
        [_assistant(None, tool_calls=[{"name": "a", "arguments": '{"x": '}])],
        ['call0 tool_name=a arguments={"x": '],
    ),
    "the text comes before the calls": (
        [_assistant([_USE, {"type": "text", "text": "now"}])],
        ["say0 'now'", 'call0 tool_name=add tool_call_id=u1 arguments={"a":1,"b":"é"}'],
    ),
    "text and calls": (
        [_assistant("now", tool_calls=[_NESTED])],
        ["say0 'now'", 'call0 tool_name=add tool_call_id=c1 arguments={"a": 1}'],
    ),
    "calls and blocks that say nothing": (
        [_assistant([{"type": "text", "text": ""}, _USE])],
        ['call0 tool_name=add tool_call_id=u1 arguments={"a":1,"b":"é"}'],
    ),
    "no calls": (
        [_assistant("a", tool_calls=None), _assistant("b", tool_calls=[])],
        ["say0 'a'", "say1 'b'"],
    ),
    "each assistant message is a step": (
        [
            _assistant("a"),
            _assistant("b", tool_calls=[{"name": "x"}, {"name": "y"}]),
            {"role": "tool", "content": "3"},
            _assistant("c"),
        ],
        ["say0 'a'", "say1 'b'", "call1 tool_name=x", "call1 tool_name=y", "result '3'", "say2 'c'"],
    ),
    "a tool result": (
        [{"role": "tool", "tool_call_id": "c1", "name": "add", "content": "3", "is_error": True}],
        ["result '3' tool_name=add tool_call_id=c1 is_error=True"],
    ),
    "a tool result in blocks": (
        [{"role": "tool", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
        ["result 'a\\nb'"],
    ),
    "a tool result that is an object": (
        [{"role": "tool", "content": {"ok": True}}],
        ["result '{\"ok\":true}'"],
    ),
    "results in a user message": ([_user([_RESULT])], ["result '3' tool_call_id=u1"]),
    "results and text in a user message": (
        [_user([_RESULT, {"type": "text", "text": "go on"}])],
        ["result '3' tool_call_id=u1", "user 'go on'"],
    ),
    "a failed result with blocks": (
        [
            _user(
                [
                    {
                        "type": "tool_result",
                        "tool_use_id": "u1",
                        "is_error": True,
                        "content": [{"type": "text", "text": "no"}],
                    }
                ]
            )
        ],
        ["result 'no' tool_call_id=u1 is_error=True"],
    ),
    "a result without content": (
        [_user([{"type": "tool_result", "tool_use_id": "u1"}])],
        ["result tool_call_id=u1"],
    ),
    "results beside their calls": (
        [_assistant([_RESULT, {"type": "text", "text": "3"}, _USE])],
        [
            "say0 '3'",
            'call0 tool_name=add tool_call_id=u1 arguments={"a":1,"b":"é"}',
            "result '3' tool_call_id=u1",
        ],
    ),
    "a result in the blocks of a tool message": (
        [{"role": "tool", "tool_call_id": "x", "content": [_RESULT]}],
        ["result '3' tool_call_id=u1"],
    ),
    "a null message": ([None, _user("u")], ["user 'u'"]),
    "calls that are empty in another way": ([_assistant("a", tool_calls={})], ["say0 'a'"]),
    "definitions are no calls": (
        [
            {"role": "system", "content": "s", "tools": [{"name": "pay"}]},
            _assistant('{"name": "pay", "arguments": {}}', tools=[_NESTED]),
        ],
        ["system 's'", 'say0 \'{"name": "pay", "arguments": {}}\''],
    ),
    "only known keys count": ([_user("u") | {"name": "ann", "turn": 9, "step": 3}], ["user 'u'"]),
    "surrogates": ([_assistant("\ud83d")], ["say0 '\\ud83d'"]),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_chat_becomes_events(name: str) -> None:
    chat, events = TABLE[name]
    assert _shown(events_of(chat)) == events
    assert _shown(events_of_text(json.dumps(chat))) == events


@pytest.mark.parametrize("text", [None, "null", " null "])
def test_nothing_is_nothing(text: str | None) -> None:
    assert events_of_text(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[", "not JSON"),
        ('[{"role":"user","content":NaN}]', "not JSON"),
        ("{}", "expected a list, found an object"),
        ('"hello"', "expected a list, found a text"),
        ("7", "expected a list"),
        ("[1]", r"messages\[0\]: expected an object, found a number"),
        ('[{"role":"user"},7]', r"messages\[1\]: expected an object, found a number"),
        ('[{"role":"assistant","tool_calls":{"a":1}}]', r"messages\[0\]\.tool_calls: expected a list"),
        ('[{"role":"assistant","tool_calls":[7]}]', r"messages\[0\]\.tool_calls: expected objects"),
    ],
)
def test_what_is_no_chat_is_unreadable(text: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        events_of_text(text)


_BLOCK_FIELDS = ("text", "content", "thinking", "id", "name", "input", "tool_use_id", "is_error")
_BLOCKS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "thinking", "tool_use", "tool_result", "image", 5])},
        optional=dict.fromkeys(_BLOCK_FIELDS, JSON),
    ),
    max_size=3,
)
_MESSAGES = st.lists(
    st.one_of(
        JSON,
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "tool", "function", "system", None, 3])},
            optional={
                "content": st.one_of(JSON, _BLOCKS),
                "tool_calls": st.one_of(
                    JSON,
                    st.lists(
                        st.fixed_dictionaries(
                            {}, optional={"function": JSON, "name": JSON, "arguments": JSON, "id": JSON}
                        ),
                        max_size=2,
                    ),
                ),
                "function_call": JSON,
                "name": JSON,
                "tool_call_id": JSON,
                "reasoning_content": JSON,
                "is_error": JSON,
            },
        ),
    ),
    max_size=4,
)


@given(chat=_MESSAGES)
def test_any_json_is_a_chat_or_unreadable(chat: list[Any]) -> None:
    try:
        events = events_of(chat)
    except UnreadableError:
        return
    assert events is not None
    for event in events:
        row = dict(zip(EVENT_FIELDS, event, strict=True))
        assert all(
            row[name] is None or isinstance(row[name], str)
            for name in ("content", "tool_name", "tool_call_id", "arguments", "name")
        )
        assert row["is_error"] in (None, True, False)
