"""The README, followed literally: its files written, its commands and programs run, in order."""

from __future__ import annotations

import pathlib
import re

from tests.documents import ROOT, blocks, follow_all

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_it_shows_can_be_followed(tmp_path: pathlib.Path) -> None:
    follow_all(README, tmp_path)
    assert (tmp_path / "graded" / "report.html").exists()
    assert "tells-the-fare failed 1" in (tmp_path / "graded" / "report.md").read_text()


def test_what_commands_print_is_shown_and_compared() -> None:
    assert [block.language for block in blocks(README)].count("") == 2


def test_what_is_not_run_says_why() -> None:
    ci = (ROOT / ".ci" / "run").read_text()
    for block in blocks(README):
        if block.option == "skip":
            assert len(block.value.split()) >= 3
            if "runs both" in block.value:
                assert "scripts/run" in ci
                assert "scripts/test" in ci


def test_links_lead_somewhere() -> None:
    documents = [
        "README.md",
        "CONTRIBUTING.md",
        "configs/README.md",
        "configs/cookbook.md",
        "pipeline/README.md",
    ]
    for name in documents:
        text = (ROOT / name).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", text):
            if "://" not in target:
                assert (ROOT / name).parent.joinpath(target).exists(), f"{name}: {target}"
