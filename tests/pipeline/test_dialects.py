"""The Vally and Guild dialects: what they become, what they ignore, and what they refuse."""

from __future__ import annotations

import json
import pathlib
import textwrap

import pytest

from pipeline.errors import InvalidError
from pipeline.specs.load import load_spec, load_specs, spec_warnings
from pipeline.specs.loaded import LoadedSpec
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


def test_vally_rubric_goes_to_judges(tmp_path: pathlib.Path) -> None:
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
        (
            "stimuli: [{name: a, graders: [{type: completed}]}]\nscoring: {weights: {compleed: 1}}",
            "no grader is of the type 'compleed' (did you mean 'completed'?)",
        ),
        (
            "stimuli: [{name: a, graders: [{type: completed}]}]\nscoring: {weights: {completed: 0}}",
            "advisory: true keeps a grader out of the score",
        ),
        (
            "stimuli: [{name: a, graders: [{type: completed, weight: 2}]}]\nscoring: {weights: {completed: 1}}",
            "stimuli[0].graders[0] has a weight of its own",
        ),
        ("stimuli: [{name: a, skip: true, graders: [{type: completed}]}]", "unknown key 'skip'"),
        ("stimuli: [{name: a, graders: [{type: completed, samples: [b]}]}]", "a grader has no samples"),
        (
            "config: {judge_model: 5}\nstimuli: [{name: a, graders: [{type: completed}]}]",
            "the name of a model",
        ),
        (
            "config: {judge_model: a}\ndefaults: {judge_model: b}\nstimuli: [{name: a, graders: [{type: completed}]}]",
            "name different models",
        ),
        (
            "stimuli: [{name: a, graders: [{type: tool-calls, config: {required: [{name: }]}}]}]",
            "config.required[0].name: expected a value, got null",
        ),
    ],
)
def test_vally_mistakes(tmp_path: pathlib.Path, broken: str, expected: str) -> None:
    assert any(expected in problem for problem in problems(tmp_path, f"name: x\n{broken}\n"))


@pytest.mark.parametrize("settings", ["config", "defaults"])
def test_vally_judges_are_those_of_the_file_unless_they_name_their_own(
    tmp_path: pathlib.Path, settings: str
) -> None:
    spec = load(
        tmp_path,
        f"""
        {settings}: {{runs: 3, judge_model: "${{JUDGE=small}}"}}
        stimuli:
          - name: a
            graders:
              - {{type: prompt, config: {{prompt: Is it good?}}}}
              - {{type: prompt, config: {{prompt: Is it good?, model: large}}}}
              - {{type: completed}}
        """,
    )
    assert [entry.check.model for entry in spec.entries[:2]] == ["small", "large"]
    assert spec.dialect.ignored == (f"{settings}.runs",)


def test_vally_expectations_beside_limits_are_warned_of(tmp_path: pathlib.Path) -> None:
    spec = load(
        tmp_path,
        "stimuli: [{name: a, constraints: {max_turns: 3, expect_tools: [b]}, graders: [{type: completed}]}]",
    )
    assert spec_warnings(spec) == [
        "stimuli[0].constraints.expect_tools is not checked; ask for it in a grader"
    ]


def test_vally_types_that_need_a_workspace_are_all_named(tmp_path: pathlib.Path) -> None:
    found = problems(
        tmp_path,
        """
        stimuli:
          - name: a
            graders: [{type: run-command, config: {command: make}}, {type: completed}, {type: program}]
        graders: [{type: run-command}]
        """,
    )
    assert [problem.split(": ")[1] for problem in found] == [
        "stimuli[0].graders[0].type",
        "stimuli[0].graders[2].type",
        "graders[0].type",
    ]
    assert all("cannot grade recorded runs" in problem for problem in found)


@pytest.mark.parametrize(
    ("key", "value"), [("negate", "true"), ("turn", "0"), ("samples", "[a]"), ("weight", "2")]
)
def test_guild_checks_have_no_wrapper_keys(tmp_path: pathlib.Path, key: str, value: str) -> None:
    (problem,) = problems(tmp_path, f"checks: [{{type: hasToolCall, tool: x, {key}: {value}}}]\n")
    assert f"a Guild check has no {key}" in problem


def test_specs_may_not_differ_on_a_sample(tmp_path: pathlib.Path) -> None:
    for name, answer in (("a", 1), ("b", 1), ("c", 2)):
        spec = {"samples": [{"name": "s", "reference": {"n": answer}}], "checks": [{"type": "completed"}]}
        (tmp_path / f"{name}.json").write_text(json.dumps(spec))
    same, other = str(tmp_path / "b.json"), str(tmp_path / "c.json")
    assert len(load_specs([str(tmp_path / "a.json"), same])) == 2
    with pytest.raises(InvalidError, match="another reference for the sample 's'"):
        load_specs([same, other])


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
