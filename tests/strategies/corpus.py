"""Records made by hand for what chance seldom makes; every example of every check is held to them."""

from __future__ import annotations

from typing import Any

from tests.record_columns import Row
from tests.strategies.corpus_of_measures import MEASURED
from tests.strategies.corpus_of_work import CALL_SHAPES, WORK_SHAPES


def _user(content: str | None = "go", **more: Any) -> Row:
    return {"type": "user_message", "content": content, **more}


def _say(content: str | None = "ok", **more: Any) -> Row:
    return {"type": "assistant_message", "content": content, **more}


def _think(**more: Any) -> Row:
    return {"type": "reasoning", "content": "hm", **more}


def _call(
    name: str | None = "a", call_id: str | None = None, arguments: str | None = None, **more: Any
) -> Row:
    return {"type": "tool_call", "tool_name": name, "tool_call_id": call_id, "arguments": arguments, **more}


def _result(content: str | None, name: str | None = None, call_id: str | None = None, **more: Any) -> Row:
    return {"type": "tool_result", "content": content, "tool_name": name, "tool_call_id": call_id, **more}


_SHAPES: dict[str, Row] = {
    "nothing": {"events": []},
    "null events": {"events": None},
    "null events, an output": {"events": None, "output": "ok x"},
    "null events, an error": {"events": None, "error": "no disk"},
    "only null events": {"events": [None, None]},
    "only odd types": {"events": [{"type": None}, {"type": ""}, {"type": "x-y"}, {"type": "TOOL_CALL"}]},
    "a null event among others": {"events": [_user(), None, _call("a"), None, _result("id=7"), _say("7")]},
    "an error and nothing else": {"events": [], "error": "no disk"},
    "an error and a prompt": {"events": [_user(), {"type": "system"}, {"type": "error"}], "error": "x"},
    "an error and reasoning": {"events": [_think()], "error": "x"},
    "an error and an output": {"events": [], "error": "x", "output": "ok"},
    "an error and an empty output": {"events": [], "error": "x", "output": ""},
    "a skill is activity": {"events": [{"type": "skill_activation", "name": "a"}]},
    "an empty output over a message": {"events": [_say("x ok")], "output": ""},
    "a blank output": {"events": [], "output": " \n"},
    "text around a fence in an output": {"events": [_say("so:\n```json\n7\n```")]},
    "a JSON text as output": {"events": [_say('"ax"')]},
    "a fence in an output": {"events": [_say("```json\n7\n```\n")]},
    "blanks at both ends of an output": {"events": [_say(" ok ")], "output": " ok\n"},
    "a message without content": {"events": [_call(), _say(None)]},
    "a call after the message": {"events": [_say("x"), _call()]},
    "a result after the message": {"events": [_call(), _say("x"), _result("x")]},
    "a message between calls of one step": {"events": [_call("a"), _say("x"), _call("a.b")]},
    "two messages in a row": {"events": [_think(), _say("x"), _think(), _call("a"), _say("y")]},
    "a user without calls": {"events": [_user(), _user(), _user(), _say("x")]},
    "a capture over two messages": {"events": [_result("id=77", "a"), _say("x7"), _say("7x"), _say("")]},
    "what precedes the first user": {"events": [_say("x"), _call("a"), _user(), _say("y")]},
    "parallel calls with one id": {
        "events": [
            _call("a", "1"),
            _call("b", "1"),
            _result("id=7", call_id="1"),
            _result("77", call_id="1"),
            _say("7"),
        ]
    },
    "results in another order": {
        "events": [
            _call("a", "1"),
            _call("b", "2"),
            _result("id=77", call_id="2"),
            _result("ok", call_id="1"),
            _say("77"),
        ]
    },
    "an id used again later": {
        "events": [
            _user(),
            _call("b", "c:0"),
            _result("id=1", call_id="c:0"),
            _user(),
            _call("a", "c:0"),
            _result("id=77", call_id="c:0"),
            _say("77"),
        ]
    },
    "an unanswered call before the same id": {
        "events": [_call("a", "1"), _user(), _call("b", "1"), _result("id=77", call_id="1"), _say("77")]
    },
    "no ids at all": {
        "events": [_call("a"), _call("b"), _result("id=7"), _result("x"), _result("77"), _say("77 x")]
    },
    "empty ids and names": {
        "events": [_call("a", ""), _call("", ""), _result("id=7", "", ""), _result("77", "", ""), _say("7")]
    },
    "a dangling id": {"events": [_call("a", "1"), _result("id=7", call_id="9"), _say("7")]},
    "a dangling id with a name": {"events": [_result("id=7", "a", "9"), _say("7")]},
    "a name that no call has": {
        "events": [_call("b", "1"), _result("id=7", "a", "1"), _result("77", "a"), _say("77")]
    },
    "a name against an id": {
        "events": [_call("b", "1"), _call("a", "2"), _result("id=7", "a", "1"), _result("x"), _say("x")]
    },
    "a result before its call": {"events": [_result("id=7", call_id="1"), _call("a", "1"), _say("7")]},
    "two results of one call": {
        "events": [_call("a", "1"), _result("x", call_id="1"), _result("id=7", call_id="1"), _say("7")]
    },
    "turns on all events": {
        "events": [_user(turn=3), _call("a", turn=3), _say("x", turn=1), _call("b", turn=0)]
    },
    "turns on some events": {
        "events": [_call("a"), _user(turn=1), _say("x"), _user(), _call("a"), _say("ok", turn=0)]
    },
    "a negative turn": {"events": [_user(turn=-1), _call("a"), _say("x", turn=-5)]},
    "a turn on a null-typed event": {
        "events": [_call("a"), {"type": None, "turn": 2}, _call("a"), _say("ok")]
    },
    "steps on all events": {
        "events": [
            _call("a", "1", step=9),
            _call("b", "1", step=4),
            _result("id=7", call_id="1", step=9),
            _say("7", step=4),
        ]
    },
    "steps on some events": {
        "events": [
            _call("a", "1", step=2),
            _call("b", "1"),
            _result("id=7", call_id="1"),
            _result("x", call_id="1"),
            _say("7 x"),
        ]
    },
    "a step on a result only": {
        "events": [_call("a"), _call("b"), _result("id=7", step=0), _result("x"), _say("7")]
    },
    "a turn_end ends a step": {"events": [_call("a"), {"type": "turn_end"}, _call("b"), _say("x")]},
    "a turn_start ends a step": {"events": [_call("a"), {"type": "turn_start"}, _call("b"), _say("x")]},
    "turn events end a step": {
        "events": [
            _call("a", "1"),
            {"type": "turn_end"},
            {"type": "turn_start"},
            _call("b", "1"),
            _result("id=7", call_id="1"),
            {"type": "custom"},
            _say("7"),
        ]
    },
    "arguments with blanks": {"events": [_call("a", arguments=' {"a": "x" }'), _result("x"), _say("ok")]},
    "bad arguments": {"events": [_call("a", arguments='{"a":1'), _call("a", arguments="[]"), _say("ok")]},
    "bad arguments, then good ones": {
        "events": [_call("a", arguments="NaN"), _call("a", arguments='{"a":1}')]
    },
    "no arguments in five ways": {
        "events": [_call("a", arguments=text) for text in (None, "", " \t", "null", "{}")]
    },
    "numbers that are alike": {
        "events": [
            _call("a", arguments=f'{{"a":{text}}}') for text in ("1.0", "1e0", "true", '"1"', "[1]", "null")
        ]
    },
    "deep arguments": {"events": [_call("a.b", arguments='{"a":{"b":[1.0,{"c":2,"d":3}],"e":null}}')]},
    "a very long integer": {"events": [_call("a", arguments='{"a":' + "9" * 5000 + "}")]},
    "surrogates": {
        "events": [
            _call("\ud800", "\ud800", '{"a":"\ud800"}'),
            _result("id=\ud83d", call_id="\ud800"),
            _say("\ud83d"),
        ],
        "output": "x\ud83d",
    },
    "a surrogate is no half of a character": {
        "events": [_result("id=\ud83d", "a"), _say("😀")],
        "output": "😀",
    },
    "NUL": {"events": [_call("a\x00", "\x00"), _result("id=7\x00", "a"), _say("\x00 7")], "output": "\x00x"},
    "folding": {"events": [_say("STRASSE é")], "output": "die Straße e\u0301 \u1e9e"},
    "long contents": {"events": [_result("id=" + "é" * 300, "a"), _say("x" * 70_000 + "é" * 300)]},
    "many small events": {"events": [_call("a", "1"), _result("id=7", call_id="1"), _say("6")] * 40},
    "references": {
        "events": [],
        "output": "ok x Straße",
        "reference": '{"answer":"x","expected":{"answer":"no"}}',
    },
    "references again": {
        "events": [],
        "output": "strasse",
        "reference": '{"answers":["no",{"text":"Straße"}]}',
    },
    "a reference that is no object": {"events": [], "output": "x", "reference": '["x"]'},
    "an empty reference text": {"events": None, "reference": '{"answer":""}'},
}


def corpus() -> list[Row]:
    """All of them, as records with ids of their own."""
    return [
        {"trajectory_id": name, **row}
        for name, row in (_SHAPES | MEASURED | CALL_SHAPES | WORK_SHAPES).items()
    ]
