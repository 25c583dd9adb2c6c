"""The output directory: whole runs or none, and nothing of the user's is lost."""

from __future__ import annotations

import json
import os
import pathlib
import shutil

import pytest

from tests.pipeline.conftest import ROWS, Command, manifest, verdicts
from tests.record_files import write_parquet

FORMATS = ("avro", "csv", "json", "parquet")
RUN = ("run", "--spec", "spec.yaml", "--input", "runs", "--output")


def _snapshot(directory: pathlib.Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def test_what_a_run_leaves(work: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam(*RUN, "out/deep")
    assert done.code == 0
    names = sorted(path.name for path in (work / "out" / "deep").iterdir())
    assert names == [
        "examples.json",
        "gates.json",
        "junit.xml",
        "manifest.json",
        "quarantine.jsonl",
        "report.html",
        "report.md",
        "samples.parquet",
        *(f"scores.{format_}" for format_ in FORMATS),
        *(f"summary.{format_}" for format_ in FORMATS),
        "trajectories",
        *(f"types.{format_}" for format_ in FORMATS),
        "verdicts",
    ]
    listed = manifest(work / "out" / "deep")["verdict_files"]
    found = sorted(path.name for path in (work / "out" / "deep" / "verdicts").iterdir())
    assert [file["name"] for file in listed] == found
    assert sum(file["rows"] for file in listed) == len(verdicts(work / "out" / "deep")) == 12
    scored = manifest(work / "out" / "deep")["trajectory_files"]
    assert [file["name"] for file in scored] == os.listdir(work / "out" / "deep" / "trajectories")
    assert sum(file["rows"] for file in scored) == 6


def test_a_finished_run_is_refused(work: pathlib.Path, gradebeam: Command) -> None:
    assert gradebeam(*RUN, "out").code == 0
    before = _snapshot(work / "out")
    done = gradebeam(*RUN, "out")
    assert done.code == 2
    assert "--overwrite" in done.err
    assert _snapshot(work / "out") == before


def test_overwriting_leaves_nothing_of_the_earlier_run(work: pathlib.Path, gradebeam: Command) -> None:
    assert gradebeam(*RUN, "out").code == 0
    earlier = manifest(work / "out")
    (work / "out" / "notes.txt").write_text("mine")
    assert gradebeam(*RUN, "out", "--overwrite", "--formats", "json").code == 0
    assert manifest(work / "out")["run_id"] != earlier["run_id"]
    names = {path.name for path in (work / "out").iterdir()}
    assert names == {
        "examples.json",
        "gates.json",
        "junit.xml",
        "manifest.json",
        "notes.txt",
        "quarantine.jsonl",
        "report.html",
        "report.md",
        "samples.parquet",
        "scores.json",
        "summary.json",
        "trajectories",
        "types.json",
        "verdicts",
    }
    assert not {file["name"] for file in earlier["verdict_files"]} & set(
        os.listdir(work / "out" / "verdicts")
    )
    assert len(verdicts(work / "out")) == 12


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_files_of_others_in_the_directories_of_tables_stay(
    work: pathlib.Path, gradebeam: Command, overwrite: list[str]
) -> None:
    """A directory may have the name of a table by chance, or hold what somebody made of it."""
    theirs = ("verdicts/notes.txt", "verdicts/deep/a.parquet", "changes/log.md", "trajectories/mine.parquet")
    if overwrite:
        assert gradebeam(*RUN, "out").code == 0
    for name in theirs:
        (work / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "out" / name).write_text("mine")
    assert gradebeam(*RUN, "out", *overwrite).code == 0
    assert gradebeam("compare", "out", "out", "--output", "out").code in (0, 2)
    assert [(work / "out" / name).read_text() for name in theirs] == ["mine"] * len(theirs)
    written = {path.name for path in (work / "out" / "verdicts").glob("*.parquet")}
    assert written == {file["name"] for file in manifest(work / "out")["verdict_files"]}


def test_an_unfinished_run_may_be_run_again(work: pathlib.Path, gradebeam: Command) -> None:
    assert gradebeam(*RUN, "out").code == 0
    (work / "out" / "manifest.json").unlink()
    assert gradebeam(*RUN, "out").code == 0
    assert len(verdicts(work / "out")) == 12


def test_what_killed_runs_left_is_removed(work: pathlib.Path, gradebeam: Command) -> None:
    leftover = work / "out" / ".staging-20240101T000000Z-0000"
    write_parquet(leftover / "verdicts" / "hasToolCall-0.parquet", ROWS[:1])
    (leftover / "ledger-1.jsonl").write_text("{}\n")
    (work / "out" / ".hidden").write_text("mine")
    assert gradebeam(*RUN, "out").code == 0
    assert not leftover.exists()
    assert (work / "out" / ".hidden").exists()
    assert len(verdicts(work / "out")) == 12


def test_a_pipeline_that_fails_leaves_nothing_finished(
    work: pathlib.Path, gradebeam: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("pipeline.transforms.grade.verdict_rows", fail)
    done = gradebeam(*RUN, "out")
    assert done.code == 3
    assert "no space left on device" in done.err
    assert "Traceback" not in done.err
    assert not (work / "out" / "manifest.json").exists()
    assert not list((work / "out").glob(".staging-*"))


@pytest.mark.parametrize(
    "spec",
    ["version: 1\nchecks: []\n", "version: 1\nchecks: [{type: nope}]\n", "{", None],
    ids=["empty", "unknown type", "no YAML", "no file"],
)
def test_nothing_is_written_when_the_spec_is_bad(
    work: pathlib.Path, gradebeam: Command, spec: str | None
) -> None:
    assert gradebeam(*RUN, "out").code == 0
    before = _snapshot(work / "out")
    (work / "spec.yaml").unlink()
    if spec is not None:
        (work / "spec.yaml").write_text(spec)
    done = gradebeam(*RUN, "out", "--overwrite")
    assert done.code == 2
    assert "spec.yaml" in done.err
    assert _snapshot(work / "out") == before
    assert gradebeam(*RUN, "elsewhere").code == 2
    assert not (work / "elsewhere").exists()


@pytest.mark.parametrize("output", ["runs", "runs/", ".", "./runs/../runs"])
def test_the_output_may_not_hold_the_input(work: pathlib.Path, gradebeam: Command, output: str) -> None:
    before = _snapshot(work)
    done = gradebeam(
        "run", "--spec", "spec.yaml", "--input", "runs/a.parquet", "--output", output, "--overwrite"
    )
    assert done.code == 2
    assert "runs/a.parquet" in done.err
    assert _snapshot(work) == before


@pytest.mark.parametrize("pattern", ["runs", "runs/", "runs/**", "."])
def test_the_output_may_not_lie_in_the_input(work: pathlib.Path, gradebeam: Command, pattern: str) -> None:
    (work / "spec.yaml").rename(work.parent / f"{work.name}.yaml")
    done = gradebeam("run", "--spec", f"../{work.name}.yaml", "--input", pattern, "--output", "runs/out")
    assert done.code == 2
    assert "runs/out" in done.err
    assert not (work / "runs" / "out").exists()


def test_a_link_hides_no_input(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "link").symlink_to(work / "runs", target_is_directory=True)
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "link/out")
    assert done.code == 2
    assert not (work / "runs" / "out").exists()


def test_a_neighbour_with_a_longer_name_is_no_input(work: pathlib.Path, gradebeam: Command) -> None:
    assert gradebeam(*RUN, "runs-graded").code == 0
    assert (
        gradebeam("run", "--spec", "spec.yaml", "--input", "runs/*.parquet", "--output", "runs/out").code == 0
    )


def test_a_file_in_the_place_of_the_output(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "out").write_text("mine")
    done = gradebeam(*RUN, "out", "--overwrite")
    assert done.code == 2
    assert "directory" in done.err
    assert (work / "out").read_text() == "mine"


def test_the_manifest_tells_what_the_run_was(work: pathlib.Path, gradebeam: Command) -> None:
    write_parquet(work / "runs" / "b.parquet", [ROWS[0], {**ROWS[1], "trajectory_id": "t1b"}])
    assert gradebeam(*RUN, "out").code == 0
    found = manifest(work / "out")
    assert found["accounts"] == "balanced"
    assert [(file["path"], file["rows"]) for file in found["inputs"]] == [
        ("runs/a.parquet", 6),
        ("runs/b.parquet", 2),
    ]
    assert found["duplicate_ids"] == {"distinct": 1, "rows": 2, "ids": ["t0"]}
    assert found["specs"][0]["text"] == (work / "spec.yaml").read_text()
    assert found["never_seen_tools"] == []
    counts = found["counts"]
    assert counts["verdicts"] == counts["passed"] + counts["failed"] + counts["abstained"] == 16


def test_tools_that_nobody_called_are_named(work: pathlib.Path, gradebeam: Command) -> None:
    tools = {"tools": ["never.b", "save", "never.a"], "pattern": "x"}
    checks = [
        {"type": "assistant-contains-tool-output", "config": tools},
        {"type": "hasToolCall", "config": {"tool": "sav"}},
    ]
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": checks}))
    done = gradebeam(*RUN, "out")
    assert "'sav'" in done.out
    listed = [(item["spec_index"], item["tool"]) for item in manifest(work / "out")["never_seen_tools"]]
    assert sorted(listed) == [(0, "never.a"), (0, "never.b"), (1, "sav")]
    summary = json.loads((work / "out" / "summary.json").read_text())
    assert [row["never_seen_tools"] for row in summary] == [["never.a", "never.b"], ["sav"]]


def test_a_run_reads_what_an_earlier_run_graded(work: pathlib.Path, gradebeam: Command) -> None:
    """The directory of a run beside its input does not become input."""
    shutil.copytree(work / "runs", work / "data")
    assert (
        gradebeam("run", "--spec", "spec.yaml", "--input", "data/*.parquet", "--output", "data/out").code == 0
    )
    assert (
        gradebeam(
            "run", "--spec", "spec.yaml", "--input", "data/*.parquet", "--output", "data/out", "--overwrite"
        ).code
        == 0
    )
    assert manifest(work / "data" / "out")["counts"]["trajectories"] == 6
