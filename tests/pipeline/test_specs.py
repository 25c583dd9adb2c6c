"""Native specs: every mistake is named, all at once, with its line, its path and what to do."""

from __future__ import annotations

import pathlib
import textwrap

import pytest

from graders.scope import CheckEntry
from pipeline.errors import InvalidError
from pipeline.specs.load import load_spec, spec_warnings


def _load(tmp_path: pathlib.Path, text: str) -> tuple[CheckEntry, ...]:
    file = tmp_path / "spec.yaml"
    file.write_text(textwrap.dedent(text))
    return load_spec(str(file)).entries


def _problems(tmp_path: pathlib.Path, text: str) -> list[str]:
    with pytest.raises(InvalidError) as caught:
        _load(tmp_path, text)
    return [str(problem).removeprefix(str(tmp_path / "spec.yaml")) for problem in caught.value.problems]


def test_all_wrapper_keys(tmp_path: pathlib.Path) -> None:
    first, second = _load(
        tmp_path,
        """
        version: 1
        name: nightly
        description: what is graded each night
        checks:
          - type: hasToolCall
            config: {tool: save}
          - type: outputMatches
            name: polite
            turn: -1
            samples: [a*, b]
            tags: {tier: gold, lang: de}
            negate: true
            advisory: true
            weight: 2.5
            config: {value: please, caseSensitive: false}
        """,
    )
    assert (first.spec_index, first.check_type, first.name, first.weight) == (0, "hasToolCall", None, 1.0)
    assert (first.turn, first.negate, first.advisory, first.samples, first.tags) == (
        None,
        False,
        False,
        (),
        (),
    )
    assert (second.spec_index, second.name, second.turn, second.negate) == (1, "polite", -1, True)
    assert (second.advisory, second.weight, second.samples) == (True, 2.5, ("a*", "b"))
    assert dict(second.tags) == {"tier": "gold", "lang": "de"}


def test_graders_are_checks(tmp_path: pathlib.Path) -> None:
    (entry,) = _load(tmp_path, "{version: 1, graders: [{type: hasToolCall, config: {tool: a}}]}")
    assert entry.check_type == "hasToolCall"


def test_all_problems_at_once_in_order_of_lines(tmp_path: pathlib.Path) -> None:
    problems = _problems(
        tmp_path,
        """\
        version: 1
        checks:
          - type: outputMatches
            config: {vaule: x}
          - type: hasToolcall
            config: {tool: a}
          - type: hasToolCall
            nmae: x
            turn: first
            config: {tool: 5}
          - type: hasToolCall
            name: twice
            config: {tool: a}
          - type: hasToolCall
            name: twice
            config: {tool: a, turn: 0}
        """,
    )
    places = [": ".join(problem.split(": ")[:2]) for problem in problems]
    assert places == [
        ":4: checks[0].config.vaule",
        ":5: checks[1].type",
        ":8: checks[2].nmae",
        ":9: checks[2].turn",
        ":10: checks[2].config.tool",
        ":15: checks[4].name",
        ":16: checks[4].config.turn",
    ]
    text = "\n".join(problems)
    for hint in ("'value'", "'hasToolCall'", "'name'", "quote", "checks[3]", "beside config"):
        assert hint in text


_MISTAKES = [
    ("{type: hasToolCall, config: {tool: yes-no, extra: 1}}", "config.extra", "tool"),
    ("{type: hasToolCall, config: {tool: true}}", "config.tool", "quote"),
    ("{type: hasToolCall, config: {tool: 1.10}}", "config.tool", "quote"),
    ("{type: hasToolCall, config: {tool: null}}", "config.tool", "quote"),
    ("{type: hasToolCall, config: {tool: [a]}}", "config.tool", "list"),
    ("{type: hasToolCall, config: {tool: ''}}", "config.tool", "empty"),
    ("{type: hasToolCall, config: {}}", "config.tool", "missing"),
    ("{type: hasToolCall}", "config.tool", "missing"),
    ("{type: hasToolCall, config: [a]}", "config", "mapping"),
    ("{type: hasToolCall, tool: a, config: {tool: a}}", "tool", "config"),
    ("{type: hasToolCall, turn: -2, config: {tool: a}}", "turn", "-1"),
    ("{type: hasToolCall, turn: 1.0, config: {tool: a}}", "turn", "whole"),
    ("{type: hasToolCall, turn: '1', config: {tool: a}}", "turn", "whole"),
    ("{type: hasToolCall, negate: 'true', config: {tool: a}}", "negate", "true or false"),
    ("{type: hasToolCall, negate: 1, config: {tool: a}}", "negate", "true or false"),
    ("{type: hasToolCall, samples: [], config: {tool: a}}", "samples", "at least one"),
    ("{type: hasToolCall, samples: a, config: {tool: a}}", "samples", "list"),
    ("{type: hasToolCall, samples: [7], config: {tool: a}}", "samples[0]", "quote"),
    ("{type: hasToolCall, tags: {k: 7}, config: {tool: a}}", "tags.k", "quote"),
    ("{type: hasToolCall, weight: 0, config: {tool: a}}", "weight", "0"),
    ("{type: hasToolCall, weight: '2', config: {tool: a}}", "weight", "number"),
    ("{type: hasToolCall, name: '', config: {tool: a}}", "name", "empty"),
    ("{type: 7, config: {tool: a}}", "type", "quote"),
    ("{config: {tool: a}}", "type", "missing"),
    ("hasToolCall", "", "mapping"),
    ("{type: run-command, config: {}}", "type", "recorded"),
    ("{type: outputMatches, config: {value: a, referencePath: b}}", "config", "exactly one"),
    ("{type: outputMatches, config: {mode: contains}}", "config", "exactly one"),
    ("{type: outputMatches, config: {value: a, mode: contians}}", "config.mode", "contains"),
    ("{type: outputMatches, config: {value: a, caseSensitive: no}}", "config.caseSensitive", "true or false"),
    (
        "{type: outputMatches, config: {value: a, case_sensitive: true}}",
        "config.case_sensitive",
        "caseSensitive",
    ),
    ("{type: outputMatches, config: {referencePath: 'a..b'}}", "config.referencePath", "path"),
    ("{type: outputMatches, config: {referencePath: ''}}", "config.referencePath", "path"),
    ("{type: toolCallContains, config: {tool: a}}", "config.arguments", "missing"),
    ("{type: toolCallContains, config: {tool: a, arguments: [1]}}", "config.arguments", "mapping"),
    ("{type: toolCallContains, config: {tool: a, arguments: {n: 010}}}", "config.arguments.n", "quote"),
    (
        "{type: assistant-contains-tool-output, config: {tools: [], pattern: a}}",
        "config.tools",
        "at least one",
    ),
    ("{type: assistant-contains-tool-output, config: {tools: a, pattern: a}}", "config.tools", "list"),
    ("{type: assistant-contains-tool-output, config: {tools: [1], pattern: a}}", "config.tools[0]", "quote"),
    ("{type: assistant-contains-tool-output, config: {tools: [''], pattern: a}}", "config.tools[0]", "empty"),
    ("{type: assistant-contains-tool-output, config: {tools: [a], pattern: ''}}", "config.pattern", "empty"),
]


@pytest.mark.parametrize(("check", "path", "hint"), _MISTAKES)
def test_a_mistake_is_named_with_what_to_do(tmp_path: pathlib.Path, check: str, path: str, hint: str) -> None:
    problems = _problems(tmp_path, f"version: 1\nchecks:\n  - {check}\n")
    assert all(problem.startswith(f":3: checks[0]{'.' if path else ''}{path}: ") for problem in problems)
    assert hint in problems[0]


@pytest.mark.parametrize(
    ("check", "messages"),
    [
        (
            "{type: outputMatches, config: {value: a, referencePath: b, mode: x}}",
            ["exactly one", "expected one of contains"],
        ),
        (
            "{type: outputMatches, config: {vaule: a, referencePath: b}}",
            ["unknown key 'vaule'", "exactly one"],
        ),
        ("{type: outputMatches, config: {value: 5, referencePath: b}}", ["expected a text", "exactly one"]),
        ("{type: outputMatches, config: {vaule: a}}", ["unknown key 'vaule'"]),
        ("{type: outputMatches, config: {value: 5}}", ["expected a text"]),
        ("{type: outputMatches, config: {mode: x}}", ["exactly one", "expected one of contains"]),
        ("{type: output-length, config: {min: 5, max: 2, mix: 1}}", ["unknown key 'mix'", "min is greater"]),
        ("{type: output-length, config: {min: 5, max: x}}", ["expected a whole number"]),
        ("{type: tool-calls, config: {requierd: [a]}}", ["unknown key 'requierd'"]),
        ("{type: tool-calls, config: {nothing: 1}}", ["unknown key 'nothing'", "is needed"]),
        (
            "{type: tool-calls, config: {read_only: true, write_only: true, parallel: a}}",
            ["expected a list", "read", "write"],
        ),
        ("{type: tool-calls, config: {required: [{nmae: a}]}}", ["unknown key 'nmae' (did you mean 'name'"]),
        (
            "{type: tool-calls, config: {required: [{xyzzy: a}]}}",
            ["an entry needs a filter", "unknown key 'xyzzy'"],
        ),
        ("{type: tool-calls, config: {required: [{name: }]}}", ["expected a value, got null"]),
        (
            "{type: custom-metrics, config: {path: 1, assertions: [{metric: a, mni: 1}, {metric: b}]}}",
            ["expected a text", "unknown key 'mni'", "equals, min or max"],
        ),
        (
            "{type: at-least, config: {n: 3, checks: [{type: completed}], m: 1}}",
            ["unknown key 'm'", "1 parts"],
        ),
        ("{type: at-least, config: {n: 0, checks: [{type: completed}]}}", ["expected 1 or more, got 0"]),
        (
            "{type: output-contains, config: {substring: a, value: b, cas: 1}}",
            ["keep one", "unknown key 'cas'"],
        ),
        (
            "{type: file-exists, turn: 0, config: {pth: a}}",
            ["missing", "does not look at turns", "unknown key 'pth'"],
        ),
    ],
)
def test_what_keys_must_be_to_each_other_is_told_beside_what_they_are(
    tmp_path: pathlib.Path, check: str, messages: list[str]
) -> None:
    problems = _problems(tmp_path, f"version: 1\nchecks:\n  - {check}\n")
    found = sorted(message for problem in problems for message in messages if message in problem)
    assert (len(problems), found) == (len(messages), sorted(messages)), problems


def test_what_is_wrong_with_values_is_told_beside_what_they_mean(tmp_path: pathlib.Path) -> None:
    problems = _problems(
        tmp_path,
        """\
        version: 1
        base: &base {type: completed}
        checks:
          - <<: *base
          - {type: outputMatch, config: {value: 010}}
          - {type: outputMatches, config: {value: 010}}
          - {type: outputMatches, name: a, name: b, config: {value: !!str x}}
          - {type: outputMatches, weight: .inf, config: {vaule: x}}
        """,
    )
    assert [": ".join(problem.split(": ")[:2]) for problem in problems] == [
        ":2: base",
        ":4: checks[0]",
        ":5: checks[1].config.value",
        ":5: checks[1].type",
        ":6: checks[2].config.value",
        ":7: checks[3].name",
        ":8: checks[4].weight",
        ":8: checks[4].config.vaule",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("version: 2\nchecks: [{type: hasToolCall, config: {tool: a}}]", "version"),
        ("version: '1'\nchecks: [{type: hasToolCall, config: {tool: a}}]", "version"),
        ("version: 1", "checks"),
        ("version: 1\nchecks: []", "at least one"),
        ("version: 1\nchecks: {}", "list"),
        ("version: 1\nchekcs: [{type: hasToolCall, config: {tool: a}}]", "checks"),
        ("version: 1\nchecks: [{type: hasToolCall, config: {tool: a}}]\ngraders: []", "graders"),
        ("- type: hasToolCall", "mapping"),
        ("hello", "mapping"),
    ],
)
def test_a_mistake_at_the_top_is_named(tmp_path: pathlib.Path, text: str, hint: str) -> None:
    assert any(hint in problem for problem in _problems(tmp_path, text))


def test_an_invalid_pattern_of_the_echo_check_only_warns(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "spec.yaml"
    check = "{type: assistant-contains-tool-output, config: {tools: [a], pattern: '%s'}}"
    file.write_text(
        f"version: 1\nchecks:\n  - {check % 'rt_['}\n  - {check % '(?<=a)b'}\n  - {check % 'a'}\n"
    )
    invalid, slow = spec_warnings(load_spec(str(file)))
    assert invalid.startswith("checks[0]")
    assert "rt_[" in invalid
    assert slow.startswith("checks[1]")


@pytest.mark.parametrize(("name", "hint"), [("missing.yaml", "no such"), (".", "directory")])
def test_a_file_that_cannot_be_read(tmp_path: pathlib.Path, name: str, hint: str) -> None:
    with pytest.raises(InvalidError, match=hint):
        load_spec(str(tmp_path / name))


def test_a_relative_path_that_is_not_there_says_where_it_was_looked_for(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidError) as caught:
        load_spec("missing.yaml")
    assert (
        str(caught.value)
        == f"missing.yaml: no such spec file below {tmp_path}, where the command was started"
    )
