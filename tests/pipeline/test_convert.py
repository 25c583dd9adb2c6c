"""Conversion to the native dialect: what is converted grades alike, and what is not carried is told."""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.specs.convert import to_native
from pipeline.specs.load import load_spec
from pipeline.specs.loaded import LoadedSpec
from tests.case_files import all_cases
from tests.pipeline.conftest import Command, verdicts

VALLY = """
name: runs
description: of two samples
config: {runs: 3}
graders:
  - {type: exit-success, name: says-something}
stimuli:
  - name: s0
    prompt: Save it.
    rubric: [is kind]
    graders:
      - {type: tool-calls, name: same, config: {required: ["${TOOL=load}"]}}
      - {type: tool-call-count, turn: 0, config: {max: "${MOST=1}"}}
      - {type: prompt}
  - name: "s1"
    graders:
      - {type: tool-calls, name: same, negate: true, config: {required: [load]}}
      - {type: output-contains, name: other, config: {value: DONE}}
scoring:
  weights: {tool-calls: 3, exit-success: 0.5}
  threshold: 0.75
"""
GUILD = json.dumps(
    {
        "name": "answers",
        "epochs": 2,
        "samples": [
            {
                "name": "s0",
                "input": {"q": 1},
                "reference": {"words": ["done", "\u2028"], "n": 1e16, "deep": {"no": None}},
            },
            {"name": "s1", "reference": {"words": ["finished"]}},
            {"name": "s2"},
        ],
        "checks": [
            {"type": "outputMatches", "referencePath": "words[0]"},
            {"type": "hasToolCall", "tool": "save", "name": "saves"},
            {"type": "llmJudge", "rubric": "Is it kind?", "name": "kind"},
        ],
    }
)
NATIVE = """
version: 1
samples: [{name: s0, reference: {word: done}}]
checks:
  - {type: outputMatches, config: {referencePath: word}, tags: {}, weight: 2}
""".replace(", tags: {}", "")


def load(directory: pathlib.Path, text: str) -> LoadedSpec:
    file = directory / "spec.yaml"
    file.write_text(text, encoding="utf-8")
    return load_spec(str(file))


@pytest.mark.parametrize("text", [VALLY, GUILD, NATIVE], ids=["vally", "guild", "native"])
def test_a_converted_spec_says_the_same(tmp_path: pathlib.Path, text: str) -> None:
    before = load(tmp_path, text)
    after = load(tmp_path, to_native(before).text)
    assert after.dialect.name == "native"
    assert [(e.check, e.turn, e.samples, e.negate, e.weight) for e in after.entries] == [
        (e.check, e.turn, e.samples, e.negate, e.weight) for e in before.entries
    ]
    for fact in ("threshold", "references", "description"):
        assert getattr(after.dialect, fact) == getattr(before.dialect, fact)


@pytest.mark.parametrize("text", [VALLY, GUILD], ids=["vally", "guild"])
def test_a_converted_spec_grades_alike(work: pathlib.Path, gradebeam: Command, text: str) -> None:
    (work / "before.yaml").write_text(text)
    converted = gradebeam("convert", "before.yaml")
    (work / "after.yaml").write_text(converted.out)
    for name in ("before", "after"):
        done = gradebeam("run", "--spec", f"{name}.yaml", "--input", "runs", "--output", name)
        assert done.code == 0, done.err
    before, after = verdicts(work / "before"), verdicts(work / "after")
    renamed = {"same (2)": "same"}
    assert [
        {**row, "check_name": renamed.get(row["check_name"], row["check_name"])} for row in after
    ] == before
    assert {row["outcome"] for row in before} == {"pass", "fail", "abstain"}


def test_what_is_not_carried_is_told(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "vally.yaml").write_text(VALLY)
    (work / "guild.json").write_text(GUILD)
    assert gradebeam("convert", "vally.yaml").err.splitlines() == [
        "vally.yaml: checks[4] is named 'same (2)': another check is named 'same'",
        "vally.yaml: not carried, only concerns running agents: config",
        "vally.yaml: not carried, only concerns running agents: stimuli[0].prompt",
    ]
    assert gradebeam("convert", "guild.json").err.splitlines() == [
        "guild.json: not carried, only concerns running agents: epochs",
        "guild.json: not carried, only concerns running agents: samples[0].input",
    ]


def test_every_case_survives_conversion(tmp_path: pathlib.Path) -> None:
    entries = [case.entry() for case in all_cases()]
    before = load(tmp_path, json.dumps({"version": 1, "checks": entries}))
    assert load(tmp_path, to_native(before).text).entries == before.entries


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(
    reference=st.dictionaries(_TEXTS, _JSON, max_size=3),
    name=_TEXTS.filter(bool),
    pattern=_TEXTS.filter(bool),
)
def test_any_text_and_reference_survive_conversion(
    reference: dict[str, Any], name: str, pattern: str
) -> None:
    check = {"type": "assistant-contains-tool-output", "name": name, "tools": [name], "pattern": pattern}
    spec = {"samples": [{"name": name, "reference": reference}], "checks": [check]}
    with tempfile.TemporaryDirectory() as directory:
        before = load(pathlib.Path(directory), json.dumps(spec))
        after = load(pathlib.Path(directory), to_native(before).text)
    assert (after.entries, after.dialect.references) == (before.entries, before.dialect.references)
