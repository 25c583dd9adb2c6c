"""The cookbook: of every recipe the good runs pass, the bad ones fail, and those that abstain do."""

from __future__ import annotations

import json
import pathlib
import re

import pytest

from tests.documents import ROOT, blocks, follow_all
from tests.pipeline.conftest import Command, verdicts

COOKBOOK = (ROOT / "configs" / "cookbook.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## (\d+\. [^\n]*)\n(.*?)(?=^## |\Z)", COOKBOOK, re.MULTILINE | re.DOTALL))


def test_there_are_twelve() -> None:
    assert [int(title.split(".")[0]) for title in RECIPES] == list(range(1, 13))


def test_gates_do_what_they_say(tmp_path: pathlib.Path) -> None:
    _, gates = COOKBOOK.split("\n## Gates\n")
    follow_all(gates, tmp_path)


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_does_what_it_says(title: str, tmp_path: pathlib.Path, gradebeam: Command) -> None:
    spec, runs = blocks(RECIPES[title])
    assert (spec.language, runs.language) == ("yaml", "json")
    (tmp_path / "spec.yaml").write_text(spec.text)
    (tmp_path / "runs.jsonl").write_text(runs.text)
    output = tmp_path / "out"
    done = gradebeam("grade", tmp_path / "runs.jsonl", tmp_path / "spec.yaml", "--output", output)
    assert done.code == 0, done.err
    assert "0 unreadable rows" in done.out
    found: dict[str, set[str]] = {}
    for verdict in verdicts(output):
        found.setdefault(verdict["trajectory_id"], set()).add(verdict["outcome"])
    ids = [json.loads(line)["trajectory_id"] for line in runs.text.splitlines()]
    assert set(found) == set(ids)
    for id_ in ids:
        if id_.startswith("bad"):
            assert "fail" in found[id_], id_
        else:
            assert found[id_] == {"pass" if id_.startswith("good") else "abstain"}, id_
    assert {id_.split(":")[0] for id_ in ids} >= {"good", "bad"}
