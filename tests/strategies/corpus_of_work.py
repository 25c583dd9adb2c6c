"""Records made by hand about calls that resemble each other, and about what a run left behind."""

from __future__ import annotations

from typing import Any

from tests.record_columns import Row


def _call(name: str | None, arguments: str | None = None, **more: Any) -> Row:
    return {"type": "tool_call", "tool_name": name, "arguments": arguments, **more}


def _result(content: str | None, name: str | None = None, **more: Any) -> Row:
    return {"type": "tool_result", "content": content, "tool_name": name, **more}


def _turn(content: str = "go") -> Row:
    return {"type": "user_message", "content": content}


def _made(name: str | None, arguments: str | None, content: str | None) -> list[Row]:
    """A call and its result."""
    return [_call(name, arguments), _result(content, name)]


_X, _BAD = '{"a":"x"}', '{"a":'

CALL_SHAPES: dict[str, Row] = {
    "bad arguments and their result": {"events": _made("a", _BAD, "x")},
    "bad arguments after a result that has all": {
        "events": [*_made("b", "{}", "x 7 id=7"), *_made("a", _BAD, "x")]
    },
    "bad arguments before any result": {"events": [_call("a", _BAD), *_made("b", "{}", "x 7 id=7")]},
    "bad arguments after an empty result": {"events": [*_made("a", "{}", ""), *_made("a", _BAD, None)]},
    "bad arguments beside good ones": {"events": [*_made("a", '{"a":1}', "7"), *_made("a", _BAD, "7")]},
    "bad arguments between different ones": {
        "events": [*_made("a", _X, "x"), *_made("a", "[]", "x"), *_made("a", '{"a":"7"}', "x")]
    },
    "bad arguments between equal ones": {
        "events": [*_made("a", _X, "x"), *_made("a", "[]", "x"), *_made("a", _X, "x")]
    },
    "bad arguments twice": {"events": [*_made("a", _BAD, "x"), *_made("a", _BAD, "x")]},
    "bad arguments without a result": {"events": [_call("a", _BAD), _turn(), *_made("b", "{}", "x")]},
    "bad arguments in one of two turns": {
        "events": [_turn(), *_made("a", _BAD, "x"), _turn(), *_made("a", _X, "x")]
    },
    "no arguments, and the empty object": {"events": [*_made("a", None, "x"), *_made("a", "{}", "x")]},
    "equal arguments, differently written": {
        "events": [
            *_made("a", '{"a":1,"b":[{}]}', "x"),
            *_made("a", '{ "b":[{}], "a":1.0 }', "x"),
            *_made("a", '{"a":2,"a":1e0,"b":[{ }]}', "x"),
        ]
    },
    "zero and its negative": {"events": [*_made("a", '{"a":0}', "x"), *_made("a", '{"a":-0.0}', "x")]},
    "numbers too close for a double": {
        "events": [*_made("a", '{"a":9007199254740993}', "x"), *_made("a", '{"a":9007199254740992.0}', "x")]
    },
    "two calls without a name": {"events": [*_made(None, _X, "x"), *_made(None, _X, "x")]},
    "two calls of an empty name": {"events": [*_made("", _X, "x"), *_made("", _X, "x")]},
    "calls without results": {"events": [_call("a", _X), _call("a", _X), _call("a", _X)]},
    "results without content": {"events": [*_made("a", _X, None), *_made("a", _X, None)]},
    "a result in the next turn": {
        "events": [_turn(), _call("a", _X), _turn(), _result("x", "a"), _call("a", _X)]
    },
    "a run over two turns": {
        "events": [_turn(), *_made("a", _X, "x") * 2, _turn(), *_made("a", _X, "x") * 3]
    },
    "a cycle of two, one and a half times": {
        "events": [*_made("a", _X, "x"), *_made("b", _X, "x"), *_made("a", _X, "x")]
    },
    "a cycle of two, twice": {"events": [*_made("a", _X, "x"), *_made("b", _X, "x")] * 2},
    "a cycle of three, with another tool between": {
        "events": [event for name in ("a", "b", "ab", "a.b") * 3 for event in _made(name, _X, "x")]
    },
    "a cycle that contains a run": {"events": [*_made("a", _X, "x") * 2, *_made("b", _X, "x")] * 2},
    "a long cycle": {
        "events": [event for at in range(30) for event in _made("a", f'{{"a":{at % 10}}}', str(at % 10))]
    },
    "one call that two expectations want": {
        "events": [
            *_made("a", '{"a":1,"b":2}', "x"),
            *_made("a", '{"a":1}', "x"),
            *_made("b", '{"a":1}', "7"),
        ]
    },
    "parallel calls of one tool": {
        "events": [_call("a", _X), _call("a", '{"a":1}'), _result("x"), _result("7")]
    },
    "parallel calls, one without a result": {"events": [_call("a", _X), _call("b", _X), _result("x", "b")]},
    "the last call has no result": {"events": [*_made("b", _X, "x"), _call("a", _X)]},
    "an argument from its own result": {"events": [_call("a", '{"a":"x"}'), _result("x", "a")]},
    "arguments that are no texts": {
        "events": [
            *_made("b", "{}", "true null [7] {} 7.0 1e3 1000.0"),
            *(
                event
                for text in ("true", "null", "[7]", "{}", "7.0", "1e3", '""')
                for event in _made("a", f'{{"a":{text}}}', "x")
            ),
        ]
    },
}

WORK_SHAPES: dict[str, Row] = {
    "files, and no activity": {"events": [], "files": [{"path": "a.md", "content": "x"}]},
    "files, and null events": {"events": None, "files": [{"path": "src/a.py", "content": "é id=7"}]},
    "no files in the snapshot": {"events": [_call("a")], "files": []},
    "no snapshot, and activity": {"events": [_call("a")], "files": None},
    "files without path or content": {
        "events": [],
        "files": [
            {"path": None, "content": "x"},
            {"path": "a", "content": None},
            {"path": "", "content": ""},
        ],
    },
    "the needle is in a file that does not match": {
        "events": [],
        "files": [{"path": "src/x.txt", "content": "x id=7"}, {"path": "src/a.py", "content": "X"}],
    },
    "one path twice": {"events": [], "files": [{"path": "a", "content": "y"}, {"path": "a", "content": "x"}]},
    "paths of all kinds": {
        "events": [],
        "files": [
            {"path": path, "content": "x"}
            for path in (
                "/a",
                "a/",
                "./a",
                "a//b",
                "src/.env",
                "..",
                "a\\b",
                "a\nb.md",
                "*",
                "[a]",
                "é",
                "\ud800",
            )
        ],
    },
    "files, and an error": {"events": [], "error": "no disk", "files": [{"path": "a", "content": "x"}]},
    "an empty diff": {"events": [_call("a")], "diff": ""},
    "a diff of a line end": {"events": [], "diff": "\n"},
    "a diff, and no activity": {"events": [], "diff": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-y\n+x id=7\n"},
    "a diff, and null events": {"events": None, "diff": "+x", "turn_diffs": [{"turn": 0, "diff": "+x"}]},
    "diffs of turns": {
        "events": [_turn(), _call("a"), _turn(), _call("b"), _turn()],
        "diff": "+x\n+y",
        "turn_diffs": [{"turn": 0, "diff": "+x"}, {"turn": 1, "diff": ""}, {"turn": 7, "diff": "+x"}],
    },
    "diffs of turns, out of order and twice": {
        "events": [_turn(), _call("a"), _turn(), _call("b")],
        "turn_diffs": [
            {"turn": 1, "diff": "+x"},
            {"turn": 0, "diff": ""},
            {"turn": 1, "diff": "+y"},
            {"turn": 1, "diff": None},
        ],
    },
    "diffs of no turn": {
        "events": [_call("a")],
        "turn_diffs": [None, {"turn": None, "diff": "x"}, {"turn": 0, "diff": None}],
    },
    "diffs of turns, and no diff": {"events": [_call("a")], "turn_diffs": [{"turn": 0, "diff": "+x"}]},
    "a diff, and no diffs of turns": {"events": [_call("a")], "diff": "+x", "turn_diffs": []},
    "a lone surrogate in a diff": {"events": [], "diff": "+\ud83d x"},
    "metrics": {"events": [], "artifacts": {"custom_metrics.json": '{"n":1,"m":0}'}},
    "metrics under values": {"events": [], "artifacts": {"custom_metrics.json": '{"values":{"n":1},"n":5}'}},
    "metrics of which one is called values": {
        "events": [],
        "artifacts": {"custom_metrics.json": '{"values":3,"n":1.0}'},
    },
    "metrics that are no numbers": {"events": [], "artifacts": {"custom_metrics.json": '{"n":true,"m":"1"}'}},
    "metrics with a null": {"events": [], "artifacts": {"custom_metrics.json": '{"n":null}'}},
    "metrics that are no object": {"events": [], "artifacts": {"custom_metrics.json": "[1]"}},
    "metrics that are no JSON": {"events": [], "artifacts": {"custom_metrics.json": '{"n":NaN}'}},
    "metrics without content": {"events": [], "artifacts": {"custom_metrics.json": None, "é": "{}"}},
    "metrics, and an error": {"events": [], "error": "x", "artifacts": {"custom_metrics.json": '{"n":1}'}},
    "reference calls": {
        "events": [*_made("a", _X, "x"), *_made("b", "{}", "x")],
        "reference": '{"calls":[{"name":"a","args":{"a":"x"}},{"tool":"b","kwargs":{}}]}',
    },
    "reference calls, and null events": {"events": None, "reference": '{"calls":[]}'},
    "reference calls of no name": {"events": [_call("a")], "reference": '{"calls":[{"arguments":{}}]}'},
    "reference calls with arguments of no kind": {
        "events": [_call("a")],
        "reference": '{"calls":[{"tool":"a","args":"x"}]}',
    },
}
