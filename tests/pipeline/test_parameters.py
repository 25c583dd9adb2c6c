"""Parameters of Vally evals: text in a text, and what its field wants as a whole value."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from pipeline.errors import InvalidError
from pipeline.specs.load import load_spec, load_specs
from tests.pipeline.conftest import Command

EVAL = """\
stimuli:
  - name: s
    graders:
      - type: {type}
        config:
          {config}
"""


def config(tmp_path: pathlib.Path, type_: str, text: str, **parameters: str) -> Any:
    file = tmp_path / "eval.yaml"
    file.write_text(EVAL.format(type=type_, config=text), encoding="utf-8")
    return load_spec(str(file), parameters).entries[0].check


def problems(tmp_path: pathlib.Path, type_: str, text: str, **parameters: str) -> list[str]:
    with pytest.raises(InvalidError) as caught:
        config(tmp_path, type_, text, **parameters)
    return [str(problem).removeprefix(str(tmp_path / "eval.yaml")) for problem in caught.value.problems]


@pytest.mark.parametrize("written", ["${N=5}", '"${N=5}"', "'${N=5}'"])
@pytest.mark.parametrize(("given", "limit"), [({}, 5), ({"N": "7"}, 7), ({"N": "0x10"}, 16)])
def test_a_field_that_wants_a_number_gets_one(
    tmp_path: pathlib.Path, written: str, given: dict[str, str], limit: int
) -> None:
    assert config(tmp_path, "turn-count", f"max: {written}", **given).max == limit


@pytest.mark.parametrize("written", ["${X=5}", '"${X=5}"'])
@pytest.mark.parametrize("given", ["5", "1.10", "true", "010", "no", "null", "5 apples"])
def test_a_field_that_wants_text_gets_the_text(tmp_path: pathlib.Path, written: str, given: str) -> None:
    assert config(tmp_path, "output-contains", f"substring: {written}", X=given).substring == given
    assert config(tmp_path, "output-contains", f"value: {written}", X=given).substring == given


def test_booleans_and_fractions(tmp_path: pathlib.Path) -> None:
    check = config(tmp_path, "output-contains", "{value: x, case_sensitive: '${C}'}", C="true")
    assert check.case_sensitive is True
    assert config(tmp_path, "tool-error-rate", "max: ${R=0.25}").max == 0.25
    assert config(tmp_path, "wall-time", "max: ${T=30s}").max == "30s"


def test_within_a_longer_text_it_is_text(tmp_path: pathlib.Path) -> None:
    assert config(tmp_path, "output-contains", "value: ${A=1}${B=2}").substring == "12"
    assert config(tmp_path, "output-matches", "pattern: '^${A=1}+$'").pattern == "^1+$"
    assert "whole number" in problems(tmp_path, "turn-count", "max: 1${N=5}")[0]


@pytest.mark.parametrize(("written", "value"), [("${N=5}", 5), ('"${N=5}"', "5"), ("${N=x}", "x")])
def test_where_a_field_takes_both_quotes_decide(tmp_path: pathlib.Path, written: str, value: object) -> None:
    block = f"tool: t\n          arguments:\n            deep:\n              - {written}"
    assert config(tmp_path, "toolCallContains", block).arguments == {"deep": [value]}


def test_the_keys_around_a_config_are_filled_too(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "eval.yaml"
    file.write_text(
        "stimuli:\n  - name: ${SAMPLE=7}\n    graders:\n"
        "      - type: ${TYPE=completed}\n        turn: ${TURN=1}\n        advisory: ${ADVISORY=true}\n"
        "scoring:\n  threshold: ${T=0.5}\n  weights:\n    completed: ${W=2}\n"
    )
    spec = load_spec(str(file))
    (entry,) = spec.entries
    assert (entry.samples, entry.check_type, entry.turn) == (("7",), "completed", 1)
    assert (entry.advisory, entry.weight, spec.dialect.threshold) == (True, 2, 0.5)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("abc", "expected a whole number, got 'abc'"),
        ("1.5", "expected a whole number, got 1.5"),
        ("true", "expected a whole number, got true"),
        ("007", "expected a whole number, got '007'"),
        ("", "expected a whole number, got ''"),
        ("-1", "expected 0 or more, got -1"),
    ],
)
def test_what_is_no_number_is_refused(tmp_path: pathlib.Path, given: str, expected: str) -> None:
    (problem,) = problems(tmp_path, "turn-count", "max: ${N}", N=given)
    assert problem.startswith(":6: stimuli[0].graders[0].config.max: ")
    assert expected in problem


def test_a_missing_parameter_names_the_nearest_given(tmp_path: pathlib.Path) -> None:
    missing, unknown = problems(tmp_path, "output-contains", "value: ${WORD}", WROD="x")
    assert missing == (
        ":6: stimuli[0].graders[0].config.value: the parameter WORD has no value (did you mean 'WROD'?);"
        " give one with --param WORD=VALUE"
    )
    assert unknown == "--param WROD: no spec has such a parameter (did you mean 'WORD'?)"


def test_a_parameter_is_no_part_of_a_key(tmp_path: pathlib.Path) -> None:
    (problem,) = problems(tmp_path, "toolCallContains", '{tool: t, arguments: {"${KEY=a}": 1}}')
    assert "cannot be part of a key" in problem


def test_what_only_concerns_running_needs_no_value_but_may_have_one(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "eval.yaml"
    file.write_text("stimuli: [{name: s, environment: '${WHERE}', graders: [{type: completed}]}]\n")
    assert load_spec(str(file)).entries == load_spec(str(file), {"WHERE": "here"}).entries


def test_a_parameter_serves_all_specs_that_have_it(tmp_path: pathlib.Path) -> None:
    vally, native = tmp_path / "eval.yaml", tmp_path / "native.yaml"
    vally.write_text(EVAL.format(type="turn-count", config="max: ${N}"))
    native.write_text("version: 1\nchecks: [{type: outputMatches, config: {value: '${N}'}}]\n")
    first, second = load_specs([str(vally), str(native)], {"N": "3"})
    assert (first.entries[0].check.max, second.entries[0].check.value) == (3, "${N}")
    with pytest.raises(InvalidError, match="only a Vally eval takes parameters"):
        load_specs([str(native)], {"N": "3"})


def test_a_parameter_is_given_once(gradebeam: Command, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "eval.yaml"
    file.write_text(EVAL.format(type="turn-count", config="max: ${N}"))
    done = gradebeam("validate", file, "--param", "N=1", "--param", "N=2")
    assert (done.code, done.err) == (2, "--param N=2: N is given twice\n")
    assert gradebeam("validate", file, "--param", "N=1").code == 0
