"""The Vally and Guild dialects: what they become, what they ignore, and what they refuse."""

from __future__ import annotations

import json
import pathlib
import textwrap

import pytest

from pipeline.errors import InvalidError
from pipeline.specs.convert import to_native
from pipeline.specs.load import load_spec, load_specs
from pipeline.specs.loaded import LoadedSpec
from tests.case_files import all_cases
from tests.pipeline.conftest import Command, verdicts

VALLY = """
name: release helper
version: "1.0"
type: capability
environment: mock
defaults: {runs: 3, timeout: 5m}
graders:
  - {type: exit-success, name: says-something}
stimuli:
  - name: "find [it]"
    prompt: Find it.
    constraints: {max_turns: 4}
    graders:
      - {type: output-contains, config: {value: "${WORD=found}"}}
      - {type: tool-calls, turn: 0, config: {required: [find]}}
  - name: other
    turns: [A, B]
    rubric: [says hello]
    graders:
      - {type: prompt}
scoring:
  weights: {output-contains: 3, tool-calls: 1}
  threshold: 0.75
"""


def load(tmp_path: pathlib.Path, text: str, **parameters: str) -> LoadedSpec:
    file = tmp_path / "spec.yaml"
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return load_spec(str(file), parameters)


def problems(tmp_path: pathlib.Path, text: str, **parameters: str) -> list[str]:
    with pytest.raises(InvalidError) as caught:
        load(tmp_path, text, **parameters)
    return [str(problem).removeprefix(str(tmp_path / "spec.yaml")) for problem in caught.value.problems]


def test_vally_graders_of_the_file_come_first_then_stimulus_by_stimulus(tmp_path: pathlib.Path) -> None:
    spec = load(tmp_path, VALLY)
    assert spec.dialect.name == "vally"
    assert [(e.spec_index, e.check_type, e.turn, e.samples) for e in spec.entries] == [
        (0, "exit-success", None, ()),
        (1, "output-contains", None, ("find [[]it]",)),
        (2, "tool-calls", 0, ("find [[]it]",)),
        (3, "prompt", None, ("other",)),
    ]


def test_vally_weights_and_threshold(tmp_path: pathlib.Path) -> None:
    spec = load(tmp_path, VALLY)
    assert [entry.weight for entry in spec.entries] == [1, 3, 1, 1]
    assert spec.dialect.threshold == 0.75


def test_vally_parameters_win_over_defaults(tmp_path: pathlib.Path) -> None:
    default, given = load(tmp_path, VALLY).entries[1], load(tmp_path, VALLY, WORD="seen").entries[1]
    assert (default.check.substring, given.check.substring) == ("found", "seen")


def test_vally_parameter_without_a_value(tmp_path: pathlib.Path) -> None:
    (problem,) = problems(tmp_path, VALLY.replace("${WORD=found}", "${WORD}"))
    assert problem == (
        ":14: stimuli[0].graders[0].config.value: the parameter WORD has no value;"
        " give one with --param WORD=VALUE"
    )


def test_vally_notes_what_only_concerns_running(tmp_path: pathlib.Path) -> None:
    assert load(tmp_path, VALLY).dialect.ignored == (
        "version",
        "type",
        "environment",
        "defaults",
        "stimuli[0].prompt",
        "stimuli[0].constraints",
        "stimuli[1].turns",
    )


def test_vally_rubric_goes_to_judges_without_a_prompt(tmp_path: pathlib.Path) -> None:
    assert load(tmp_path, VALLY).entries[3].check.rubric == ["says hello"]


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ("stimuli: []", ":2: stimuli: at least one element is needed"),
        ("stimuli: [{name: a}]", "nothing to grade by"),
        ("stimuli: [{name: a, graders: [{type: exit-success, samples: [b]}]}]", "a grader has no samples"),
        ("stimuli: [{name: a, gradres: []}]", "unknown key 'gradres' (did you mean 'graders'?)"),
        (
            "stimuli: [{name: a, graders: [{type: run-command, config: {command: make}}]}]",
            "run-command cannot grade recorded runs",
        ),
        ("stimuli: [{name: a, graders: [{type: program}]}]", "program cannot grade recorded runs"),
        (
            "stimuli: [{name: a, graders: [{type: exit-success}]}]\nscoring: {weights: {completed: 1}}",
            "no grader is of the type 'completed'",
        ),
        ("stimuli: [{name: a, graders: [{type: completed}]}, {name: a}]", "names are unique"),
    ],
)
def test_vally_mistakes(tmp_path: pathlib.Path, broken: str, expected: str) -> None:
    assert any(expected in problem for problem in problems(tmp_path, f"name: x\n{broken}\n"))


def test_guild_has_flat_parameters(tmp_path: pathlib.Path) -> None:
    spec = load(
        tmp_path,
        """
        {"name": "demo", "epochs": 2,
         "samples": [{"name": "s1", "input": {"q": 1}, "reference": {"answer": "Rome"}}],
         "checks": [{"type": "hasToolCall", "tool": "find"},
                    {"type": "outputMatches", "name": "answers", "referencePath": "answer"},
                    {"type": "llmJudge", "rubric": "Is it kind?"}]}
        """,
    )
    assert spec.dialect.name == "guild"
    assert [(e.check_type, e.name, e.samples) for e in spec.entries] == [
        ("hasToolCall", None, ()),
        ("outputMatches", "answers", ()),
        ("llmJudge", None, ()),
    ]
    assert spec.dialect.references == {"s1": '{"answer": "Rome"}'}
    assert spec.dialect.ignored == ("epochs", "samples[0].input")


def test_guild_references_serve_records_that_have_none(work: pathlib.Path, gradebeam: Command) -> None:
    spec = {
        "samples": [{"name": "s0", "reference": {"word": "done"}}],
        "checks": [{"type": "outputMatches", "referencePath": "word"}],
    }
    (work / "guild.json").write_text(json.dumps(spec))
    done = gradebeam("run", "--spec", "guild.json", "--input", "runs", "--output", "out")
    assert done.code == 0, done.err
    outcomes = {row["sample_id"]: (row["outcome"], row["code"]) for row in verdicts(work / "out")}
    assert outcomes == {"s0": ("pass", None), "s1": ("abstain", "SETUP_INVALID")}


def test_guild_hints_at_the_native_dialect(tmp_path: pathlib.Path) -> None:
    (problem,) = problems(tmp_path, "checks: [{type: hasToolCall, config: {tool: x}}]\n")
    assert "which begins with version: 1" in problem


def test_spec_indexes_continue_over_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("version: 1\nchecks: [{type: completed}, {type: exit-success}]\n")
    (tmp_path / "b.yaml").write_text("version: 1\nchecks: [{type: completed}]\n")
    specs = load_specs([str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")])
    assert [entry.spec_index for spec in specs for entry in spec.entries] == [0, 1, 2]


def test_problems_of_all_files_are_named(tmp_path: pathlib.Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("version: 1\nchecks: [{type: compleed}]\n")
    with pytest.raises(InvalidError) as caught:
        load_specs([str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")])
    assert len(caught.value.problems) == 2


def test_converted_specs_hold_the_same_checks(tmp_path: pathlib.Path) -> None:
    before = load(tmp_path, VALLY)
    after = load(tmp_path, to_native(before))
    assert after.dialect.name == "native"
    assert (after.entries, after.dialect.threshold) == (before.entries, before.dialect.threshold)


def test_every_case_survives_conversion(tmp_path: pathlib.Path) -> None:
    entries = [case.entry() for case in all_cases()]
    before = load(tmp_path, json.dumps({"version": 1, "checks": entries}))
    assert load(tmp_path, to_native(before)).entries == before.entries


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
    found = problems(tmp_path, "\n".join(lines))
    # One a line: each mistake is reported, where it stands, and once.
    assert [int(problem.split(":")[1]) for problem in found] == list(range(3, 33))
