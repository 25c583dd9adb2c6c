"""The README, followed literally: its files written, its commands and programs run, in order."""

from __future__ import annotations

import pathlib
import re

from tests.documents import ROOT, blocks, follow

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_it_shows_can_be_followed(tmp_path: pathlib.Path) -> None:
    for block in blocks(README):
        follow(block, tmp_path)
    assert (tmp_path / "graded" / "report.html").exists()
    assert "tells-the-fare failed 1" in (tmp_path / "graded" / "report.md").read_text()


def test_what_is_shown_of_a_table_is_what_is_printed(tmp_path: pathlib.Path, capsys, monkeypatch) -> None:
    from pipeline.cli import main

    for block in blocks(README):
        if block.option == "file":
            follow(block, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "chats.jsonl", "fares.yaml"]) == 0
    shown = re.search(r"^```\n(?P<text> #  check.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert shown
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert "\n".join(line for line in printed if line) in re.sub(r"\n+", "\n", shown["text"])


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
