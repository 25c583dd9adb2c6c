"""How a check is added, followed literally in a copy of the project."""

from __future__ import annotations

import pathlib
import shutil

from tests.documents import ROOT, blocks, follow

COPIED = ("configs", "graders", "pipeline", "scripts", "tests")


def test_a_check_is_added_as_it_says(tmp_path: pathlib.Path) -> None:
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for block in blocks((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        follow(block, tmp_path, project=tmp_path)
    assert "first-tool" in (tmp_path / "graders" / "README.md").read_text(encoding="utf-8")
    assert "first-tool" in (tmp_path / "configs" / "schema" / "spec.schema.json").read_text(encoding="utf-8")
