"""`gradebeam grade`: a table and what failed, from one file, with nothing left behind."""

from __future__ import annotations

import json
import pathlib
import re
import tempfile

import pytest

from pipeline.cli import COMMANDS
from tests.pipeline.conftest import Command, manifest


@pytest.fixture
def chats(work: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """`chats.jsonl`, of whose twelve runs every third says nothing of [done]; temporary files go beside it."""
    (work / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(work / "tmp"))
    lines = [
        {"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": said}]}
        for said in ["no", "[done]", "it is done"] * 4
    ]
    (work / "chats.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    check = {"type": "outputMatches", "name": "says [done]", "config": {"value": "[done]"}}
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": [check]}))
    return work


def test_it_prints_the_table_and_what_failed(chats: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam("grade", "chats.jsonl", "spec.yaml", "--failures", 20)
    assert done.code == 0, done.err
    assert "12 trajectories, 12 verdicts, 0 unreadable rows" in done.out
    assert "✘ says [done] failed 8\n" in done.out
    failed = [line.split(":")[0].strip() for line in done.out.splitlines() if "does not contain" in line]
    assert sorted(failed, key=int) == ["1", "3", "4", "6", "7", "9", "10", "12"]


def test_it_shows_some_of_many(chats: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam("grade", "chats.jsonl", "spec.yaml", "--failures", 2)
    assert "failed 8, 2 of them\n" in done.out
    assert done.out.count("does not contain") == 2
    assert gradebeam("grade", "chats.jsonl", "spec.yaml", "--failures", 2).out == done.out
    assert gradebeam("grade", "chats.jsonl", "spec.yaml", "--failures", 0).out.count("does not contain") == 0


def test_nothing_is_left_behind(chats: pathlib.Path, gradebeam: Command) -> None:
    before = sorted(chats.rglob("*"))
    assert gradebeam("grade", "chats.jsonl", "spec.yaml").code == 0
    assert sorted(chats.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("nowhere.jsonl", "spec.yaml"),
        ("chats.jsonl", "nowhere.yaml"),
        ("chats.jsonl", "spec.yaml", "--max-quarantined", 2),
    ],
)
def test_nothing_is_left_behind_by_a_mistake(
    chats: pathlib.Path, gradebeam: Command, arguments: tuple[object, ...]
) -> None:
    assert gradebeam("grade", *arguments).code == 2
    assert list((chats / "tmp").iterdir()) == []


def test_it_keeps_the_outputs_where_it_is_told(chats: pathlib.Path, gradebeam: Command) -> None:
    assert gradebeam("grade", "chats.jsonl", "spec.yaml", "--output", "out").code == 0
    assert manifest(chats / "out")["counts"]["failed"] == 8
    assert gradebeam("grade", "chats.jsonl", "spec.yaml", "--output", "out").code == 2
    assert gradebeam("grade", "chats.jsonl", "spec.yaml", "--output", "out", "--overwrite").code == 0


def test_unreadable_lines_are_shown(chats: pathlib.Path, gradebeam: Command) -> None:
    with (chats / "chats.jsonl").open("a") as file:
        file.write("oops\n")
    done = gradebeam("grade", "chats.jsonl", "spec.yaml", "--max-quarantined", 0.1)
    assert done.code == 0
    assert "1 unreadable row" in done.out
    assert "unreadable: line 13: not JSON" in done.out


def test_too_many_unreadable_lines_stop_it_and_can_be_looked_at(
    chats: pathlib.Path, gradebeam: Command
) -> None:
    with (chats / "chats.jsonl").open("a") as file:
        file.write("oops\n")
    done = gradebeam("grade", "chats.jsonl", "spec.yaml")
    assert done.code == 3
    assert "accept so many with --max-quarantined 0.077" in done.err
    (kept,) = (chats / "tmp").rglob("quarantine.jsonl")
    assert str(kept) in done.err


def test_what_is_mixed_up_is_told(chats: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam("grade", "spec.yaml", "chats.jsonl")
    assert (done.code, done.err.startswith("chats.jsonl: holds runs")) == (2, True)
    (chats / "array.jsonl").write_text('[\n{"messages": []},\n{"messages": []}\n]\n')
    assert (
        "line 1: not JSON (an array over several lines" in gradebeam("grade", "array.jsonl", "spec.yaml").err
    )
    (chats / "empty.jsonl").write_text("")
    done = gradebeam("grade", "empty.jsonl", "spec.yaml")
    assert "there was nothing to grade" in done.out


def test_columns_map_keys(chats: pathlib.Path, gradebeam: Command) -> None:
    (chats / "other.jsonl").write_text('{"name": "a", "chat": [{"role": "assistant", "content": "no"}]}')
    done = gradebeam("grade", "other.jsonl", "spec.yaml", "--columns", "trajectory_id=name,messages=chat")
    assert "  a: the output does not contain" in done.out


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_has_examples(command: str, gradebeam: Command) -> None:
    done = gradebeam(command, "--help")
    assert done.code == 0
    assert re.search(rf"^  gradebeam {command} ?", done.out, re.MULTILINE)
    assert re.search(r"^exit codes:\n  0  .+\n(  \d  .+\n)*  2  .+invalid", done.out, re.MULTILINE)
