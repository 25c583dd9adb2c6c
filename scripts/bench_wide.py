"""A thousand checks of mixed types for the data of bench_data.py, as a spec."""

from __future__ import annotations

import itertools
from typing import Any

from bench_data import TOOLS, vocabulary

Check = dict[str, Any]


def _check(number: int) -> Check:
    """One of twenty kinds of check, with parameters that few others share."""
    words, tools = vocabulary(), TOOLS
    word, tool = words[number % len(words)], tools[number // 20 % len(tools)]
    other = tools[number // 160 % len(tools)]
    kinds: tuple[tuple[str, Check], ...] = (
        ("hasToolCall", {"tool": tool}),
        ("toolCallContains", {"tool": tool, "arguments": {"n": number % 12, "opts": {"deep": True}}}),
        ("outputMatches", {"value": word}),
        ("outputMatches", {"value": word.upper(), "caseSensitive": False}),
        ("outputMatches", {"value": word, "mode": "notContains"}),
        ("outputMatches", {"referencePath": "expected.answer", "caseSensitive": number % 40 < 20}),
        ("output-contains", {"substring": word}),
        ("output-not-contains", {"substring": word, "case_sensitive": True}),
        ("output-matches", {"pattern": rf"\b{word}s?\b"}),
        ("transcript-contains", {"substring": word}),
        ("transcript-not-contains", {"substring": word, "case_sensitive": True}),
        ("transcript-matches", {"pattern": rf"{word} [a-m]"}),
        (
            "assistant-contains-tool-output",
            {"tools": [tool.split(".")[0]], "pattern": f'"release_id":"(rt_{number % 16:x}[0-9a-f]{{15}})"'},
        ),
        ("tool-calls", {"required": [f"^{tool}$"], "disallowed": [word]}),
        ("tool-calls", {"sequence": [tool, other]}),
        ("tool-call-count", {"max": number % 9, "tools": [tool.split("_")[0]]}),
        ("max-repeat", {"max": 1 + number % 3, "match": "name", "tools": [tool]}),
        ("output-length", {"min": number, "max": number + 400}),
        (
            "trajectory-match",
            {"mode": "in_order", "args": "ignore", "calls": [{"tool": tool}, {"tool": other}]},
        ),
        ("step-count", {"max": 3 + number % 9}),
    )
    type_, config = kinds[number % len(kinds)]
    return {"type": type_, "name": f"check-{number}", "config": config}


def wide_spec(checks: int) -> dict[str, Any]:
    """A native spec of so many checks, twenty kinds by turns."""
    return {
        "version": 1,
        "name": "bench-wide",
        "checks": list(map(_check, itertools.islice(itertools.count(), checks))),
    }
