"""Records made by hand of tokens, times, failures, names and numbers; a part of the corpus."""

from __future__ import annotations

import datetime
from typing import Any

from tests.record_columns import Row

_SAID = {"type": "assistant_message", "content": "ok"}
_ASKED = {"type": "user_message", "content": "go"}


def _at(second: float, kind: str = "assistant_message", **more: Any) -> Row:
    start = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
    return {"type": kind, "content": "ok", "timestamp": start + datetime.timedelta(seconds=second), **more}


def _used(data: str | None, **more: Any) -> Row:
    return {"type": "token_usage", "data": data, **more}


def _result(name: str | None, is_error: bool | None) -> Row:
    return {"type": "tool_result", "content": "x", "tool_name": name, "is_error": is_error}


def _named(kind: str, *names: str | None) -> list[Row]:
    return [{"type": kind, "name": name} for name in names]


MEASURED: dict[str, Row] = {
    "null metrics": {"events": [_SAID], "metrics": None},
    "metrics of nulls": {"events": [_SAID], "metrics": {"total_tokens": None, "wall_time_ms": None}},
    "metrics of zeros": {
        "events": [_SAID],
        "metrics": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0, "wall_time_ms": 0},
    },
    "metrics of zeros and nothing done": {"events": [_ASKED], "metrics": {"total_tokens": 0}},
    "metrics of null events": {"events": None, "metrics": {"total_tokens": 7, "wall_time_ms": 7}},
    "metrics and an output of null events": {
        "events": None,
        "output": "ok",
        "metrics": {"total_tokens": 7, "wall_time_ms": 7},
    },
    "input without output tokens": {
        "events": [_SAID, _used('{"inputTokens":5,"outputTokens":5}')],
        "metrics": {"input_tokens": 7},
    },
    "a total against its parts": {
        "events": [_SAID],
        "metrics": {"input_tokens": 5, "output_tokens": 5, "total_tokens": 11},
    },
    "cached tokens": {
        "events": [_SAID],
        "metrics": {"input_tokens": 5, "output_tokens": 5, "cache_read_tokens": 90, "cache_write_tokens": 90},
    },
    "a negative part beside a total": {
        "events": [_SAID],
        "metrics": {"input_tokens": 5, "output_tokens": -1, "total_tokens": 10},
    },
    "negative metrics": {"events": [_SAID], "metrics": {"total_tokens": -1, "wall_time_ms": -1}},
    "a negative part": {"events": [_SAID], "metrics": {"input_tokens": -1, "output_tokens": 9}},
    "the largest metrics": {
        "events": [_SAID],
        "metrics": {"input_tokens": 2**63 - 1, "output_tokens": 2**63 - 1, "wall_time_ms": 2**63 - 1},
    },
    "tokens of events": {
        "events": [
            _ASKED,
            _SAID,
            _used('{"inputTokens":5,"outputTokens":0}'),
            _ASKED,
            _used('{"input_tokens":2,"output_tokens":3,"total":9}'),
            _SAID,
        ]
    },
    "tokens of events, one unknown": {
        "events": [_SAID, _used('{"inputTokens":1,"outputTokens":1}'), _used(None)]
    },
    "tokens of events, one half known": {"events": [_SAID, _used('{"inputTokens":1}')]},
    "tokens of events that are no counts": {
        "events": [_SAID, _used('{"inputTokens":true,"outputTokens":"1"}'), _used("[1,1]")]
    },
    "tokens of events beyond 64 bits": {
        "events": [_SAID, *[_used('{"inputTokens":9223372036854775807,"outputTokens":1}')] * 3]
    },
    "tokens of events that are zero": {"events": [_SAID, _used('{"inputTokens":0,"outputTokens":0}')]},
    "tokens of one turn": {
        "events": [_ASKED, _SAID, _ASKED, _used('{"inputTokens":5,"outputTokens":5}'), _SAID]
    },
    "times in order": {"events": [_at(0, "user_message"), _at(1), _at(90)]},
    "times out of order": {"events": [_at(90), _at(0), _at(91.5)]},
    "times that run back": {"events": [_at(1), _at(0)]},
    "one time": {"events": [_at(7)]},
    "no time on an odd event": {"events": [_at(0), {"type": "x-odd"}, _at(1)]},
    "no time on a null event": {"events": [_at(0), None, _at(1)]},
    "times of two turns": {
        "events": [_at(0, "user_message"), _at(1), _at(5, "user_message"), _at(6.5), {"type": "custom"}]
    },
    "times that are far apart": {
        "events": [
            {**_SAID, "timestamp": datetime.datetime(1, 1, 1, tzinfo=datetime.UTC)},
            {**_SAID, "timestamp": datetime.datetime(9999, 12, 31, tzinfo=datetime.UTC)},
        ]
    },
    "failures": {
        "events": [_result("a", is_error=True), _result("a", is_error=False), _result("b", None), _SAID]
    },
    "failures that no one recorded": {"events": [_result("a", None), _result("b", None), _SAID]},
    "one failure in ten": {"events": [_result("a", is_error=at == 7) for at in range(10)]},
    "one failure in three": {"events": [_result("a", is_error=at == 1) for at in range(3)]},
    "a failure of a nameless result": {
        "events": [
            {"type": "tool_call", "tool_name": "a"},
            _result(None, is_error=True),
            _result("", is_error=True),
        ]
    },
    "skills": {"events": [*_named("skill_activation", "b", "a", "b", "a.b", None, ""), _SAID]},
    "system events": {"events": [*_named("system", "b", "a", "b", "a.b", None, ""), _SAID]},
    "names of other events": {"events": [*_named("custom", "a"), *_named("tool_call", "a"), _SAID]},
    "turns that end": {"events": [*_named("turn_start", None), _SAID, *_named("turn_end", None)]},
    "a turn that does not end": {"events": [_ASKED, *_named("turn_start", None), _SAID]},
    "a turn that ends and one that does not": {
        "events": [_ASKED, _SAID, *_named("turn_end", None), _ASKED, *_named("turn_start", None), _SAID]
    },
    "an error, then an output": {"events": [_ASKED, {"type": "error", "content": "x"}, _SAID]},
    "an error and no output": {
        "events": [_ASKED, {"type": "error"}, {"type": "tool_call", "tool_name": "a"}]
    },
    "a score": {
        "events": [],
        "metadata": '{"reward":0.5,"eval":{"reward":0.1},"scores":[1,{"value":9007199254740993}]}',
    },
    "a score of the first element": {"events": None, "metadata": "[0.0]"},
    "a score that is no number": {
        "events": [_SAID],
        "metadata": '{"reward":"1","eval":{"reward":true},"scores":[null,{"value":[1]}]}',
    },
    "a score out of range of floats": {
        "events": [_SAID],
        "metadata": '{"reward":1e999,"eval":{"reward":-1e999}}',
    },
    "a score of a run that never was": {"events": [], "error": "x", "metadata": '{"reward":1}'},
    "metadata that are no JSON": {"events": [_SAID], "metadata": '{"reward":NaN}'},
    "JSON in a fence": {
        "events": [],
        "output": '```json\n{"a": [1.0, {"b": true}]}\n```\n',
        "reference": '{"answer":null}',
    },
    "JSON of many lines": {
        "events": [],
        "output": '{\n "a": 1,\n "a": 7\n}\n',
        "reference": '{"answer":{"a":7.0}}',
    },
    "JSON and more": {"events": [], "output": '{"a": 1} ', "reference": '{"answer":{"a":true}}'},
    "an integer that Python does not write": {
        "events": [_SAID, _used('{"inputTokens":' + "1" * 5000 + ',"outputTokens":1}')],
        "output": "1" * 5000,
        "metadata": '{"reward":' + "1" * 5000 + "}",
    },
}
"""By a name that says what is odd."""
