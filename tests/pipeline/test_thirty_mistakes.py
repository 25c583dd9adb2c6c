"""A spec with many mistakes, each of another kind: every one is told, where it stands, and once."""

from __future__ import annotations

import pathlib

import pytest

from pipeline.errors import InvalidError
from pipeline.specs.load import load_spec


def problems(file: pathlib.Path, text: str) -> list[str]:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidError) as caught:
        load_spec(str(file))
    return [str(problem).removeprefix(str(file)) for problem in caught.value.problems]


def test_thirty_mistakes_are_thirty_problems(tmp_path: pathlib.Path) -> None:
    mistakes = [
        "{type: outputMatch, config: {value: x}}",
        "{type: hasToolCall}",
        "{type: hasToolCall, config: {tool: 5}}",
        '{type: hasToolCall, config: {tool: ""}}',
        "{type: hasToolCall, config: {tool: x}, turn: -2}",
        "{type: hasToolCall, config: {tool: x}, turn: 1.5}",
        "{type: hasToolCall, config: {tool: x}, negate: 'true'}",
        "{type: hasToolCall, config: {tool: x}, samples: s}",
        "{type: hasToolCall, config: {tool: x}, tags: []}",
        "{type: hasToolCall, config: {tool: x}, weight: 0}",
        "{type: hasToolCall, config: {tool: x}, wieght: 1}",
        "{type: hasToolCall, tool: x, config: {tool: x}}",
        "{type: outputMatches, config: {value: x, referencePath: y}}",
        "{type: outputMatches, config: {value: x, mode: absent}}",
        "{type: outputMatches, config: {referencePath: 'a..b'}}",
        "{type: outputMatches, config: {value: x, caseSensitive: 1}}",
        "{type: output-matches, config: {pattern: '(x'}}",
        "{type: output-contains, config: {substring: a, value: b}}",
        "{type: output-not-contains, config: {substring: a, negate: true}}",
        "{type: tool-call-count, config: {max: -1}}",
        "{type: wall-time, config: {max: '30'}}",
        "{type: tool-calls, config: {}}",
        "{type: tool-calls, config: {read_only: true}}",
        "{type: tool-calls, config: {required: [x], disallowed: [x]}}",
        "{type: max-repeat, config: {max: 1, max_cycle_period: 11}}",
        "{type: file-exists, turn: 0, config: {path: x}}",
        "{type: trajectory-match, config: {mode: fuzzy, calls: []}}",
        "{type: at-least, config: {n: 2, checks: [{type: completed}]}}",
        "{type: all-of, config: {checks: [{type: completed, turn: 0}]}}",
        "{type: program}",
    ]
    lines = ["version: 1", "checks:", *(f"  - {mistake}" for mistake in mistakes)]
    found = problems(tmp_path / "spec.yaml", "\n".join(lines))
    # One a line: each mistake is reported, where it stands, and once.
    assert [int(problem.split(":")[1]) for problem in found] == list(range(3, 33))
