"""Judged checks in specs: what they take, and what is refused."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from pipeline.errors import InvalidError
from pipeline.specs.load import load_specs

VALLY = """
config: {judge_model: gpt-of-the-file}
stimuli:
  - name: explain
    rubric: [Mentions sorted input, Stays short]
    graders:
      - {type: prompt, config: {prompt: Apply the rubric., threshold: 0.6}}
      - {type: prompt, config: {model: own, rubric: [Own]}}
      - {type: panel, config: {models: [a, b]}}
"""


def load(tmp_path: pathlib.Path, spec: str) -> Any:
    (tmp_path / "spec.yaml").write_text(spec)
    return [entry.check for entry in load_specs([str(tmp_path / "spec.yaml")], {})[0].entries]


def test_vally_judges_get_the_rubric_of_the_stimulus_and_the_model_of_the_file(
    tmp_path: pathlib.Path,
) -> None:
    first, second, panel = load(tmp_path, VALLY)
    rubric = ["Mentions sorted input", "Stays short"]
    assert (first.prompt, first.rubric, first.model) == ("Apply the rubric.", rubric, "gpt-of-the-file")
    assert (second.rubric, second.model) == (["Own"], "own")
    assert (panel.rubric, panel.aggregation, panel.scoring, panel.names) == (
        rubric,
        "mean",
        "scale_1_5",
        ["a", "b"],
    )


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ({"type": "panel", "config": {}}, "exactly one of models and judges"),
        ({"type": "panel", "config": {"models": ["a"], "judges": ["a"]}}, "exactly one of models and judges"),
        ({"type": "panel", "config": {"models": ["a", "a"]}}, "named twice"),
        ({"type": "panel", "config": {"judges": ["a", {"model": "a"}]}}, "named twice"),
        ({"type": "panel", "config": {"models": []}}, "models"),
        ({"type": "panel", "config": {"models": ["a"], "weights": [1]}}, "unknown key 'weights'"),
        ({"type": "panel", "config": {"models": ["a"], "aggregation": "max"}}, "aggregation"),
        ({"type": "prompt", "config": {"scoring": "scale_1_7"}}, "scoring"),
        ({"type": "prompt", "config": {"threshold": 3}}, "threshold"),
        ({"type": "prompt", "config": {"modle": "a"}}, "did you mean 'model'"),
        ({"type": "llmJudge", "config": {}}, "rubric"),
        ({"type": "llmJudge", "config": {"rubric": ""}}, "rubric"),
        ({"type": "llmJudge", "config": {"rubric": "x", "llmPreferences": []}}, "llmPreferences"),
    ],
)
def test_what_would_change_a_verdict_and_is_not_known_is_refused(
    tmp_path: pathlib.Path, check: dict[str, Any], expected: str
) -> None:
    with pytest.raises(InvalidError) as raised:
        load(tmp_path, json.dumps({"version": 1, "checks": [check]}))
    assert expected in str(raised.value)
