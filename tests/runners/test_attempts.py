"""Attempts of one run, on a disk and on an object store: the last one counts, once."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq
import pytest

import pipeline.run
from tests.pipeline.conftest import Command
from tests.runners.conftest import Work
from tests.runners.object_store import FAILING, OBJECTS
from tests.runners.test_faults import SAVES, TOOL

OUT = "bucket://b/out"


@pytest.fixture
def grade(work: Work, gradebeam: Command, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Grade ten rows by two checks to an output."""
    rows = [{"trajectory_id": f"t{at}", "events": [TOOL]} for at in range(10)]
    work.write(rows, [SAVES, {"type": "exit-success"}], row_group_size=5)
    monkeypatch.chdir(work.path)

    def start(output: str, *flags: str) -> Any:
        return gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", output, *flags)

    yield start
    OBJECTS.clear()
    FAILING.clear()


def _assert_whole(directory: str = OUT) -> dict[str, Any]:
    """The objects are those of one finished run."""
    manifest = json.loads(OBJECTS[f"{directory}/manifest.json"])
    assert [path for path in OBJECTS if "/.staging-" in path] == []
    counted = {f"{directory}/verdicts/{file['name']}" for file in manifest["verdict_files"]}
    stored = {path for path in OBJECTS if path.startswith(f"{directory}/verdicts/")}
    assert stored == counted
    assert sum(pq.read_table(io.BytesIO(OBJECTS[path])).num_rows for path in stored) == 20
    return manifest


def test_a_run_into_an_object_store(grade: Any) -> None:
    assert grade(OUT).code == 0
    first = _assert_whole()
    assert "holds a finished run" in grade(OUT).err
    assert grade(OUT, "--overwrite").code == 0
    assert _assert_whole()["run_id"] != first["run_id"]


def test_input_and_spec_from_an_object_store(grade: Any, work: Work, gradebeam: Command) -> None:
    for path, name in (
        (work.path / "spec.yaml", "spec.yaml"),
        (work.path / "runs" / "a.parquet", "a.parquet"),
    ):
        OBJECTS[f"bucket://b/in/{name}"] = path.read_bytes()
    OBJECTS["bucket://b/job.yaml"] = b"spec: bucket://b/in/spec.yaml\ninput: bucket://b/in/*.parquet\n"
    done = gradebeam("run", "--job", "bucket://b/job.yaml", "--output", OUT)
    assert done.code == 0, done.err
    _assert_whole()


@pytest.mark.parametrize("failing", ["/verdicts/", "ledger-", "manifest.json"])
def test_an_attempt_that_could_not_write_is_made_up_for(grade: Any, failing: str) -> None:
    assert grade(OUT, "--run-id", "nightly").code == 0
    FAILING.add(failing)
    assert grade(OUT, "--run-id", "nightly").code == 3
    assert [path for path in OBJECTS if "/.staging-" in path] == []
    FAILING.clear()
    assert grade(OUT, "--run-id", "nightly").code == 0
    assert _assert_whole()["run_id"] == "nightly"


def test_what_a_killed_attempt_left_goes_with_the_next(grade: Any) -> None:
    OBJECTS[f"{OUT}/.staging-nightly.00000000/verdicts/hasToolCall-1.parquet"] = b"half"
    assert grade(OUT, "--run-id", "nightly").code == 0
    _assert_whole()


def test_what_a_run_with_a_longer_id_writes_is_left_alone(grade: Any) -> None:
    live = f"{OUT}/.staging-nightly.b.01234567/verdicts/hasToolCall-1.parquet"
    OBJECTS[live] = b"half"
    assert grade(OUT, "--run-id", "nightly").code == 0
    assert OBJECTS[live] == b"half"


@pytest.mark.parametrize("flags", [(), ("--overwrite",), ("--run-id", "first")])
def test_another_run_finishes_meanwhile_where_nothing_is_locked(
    grade: Any, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    tabulate = pipeline.run.make_tables

    def tabulate_late(*given: Any) -> Any:
        OBJECTS[f"{OUT}/manifest.json"] = b'{"run_id": "first"}'
        return tabulate(*given)

    monkeypatch.setattr(pipeline.run, "make_tables", tabulate_late)
    done = grade(OUT, *flags)
    if flags:
        assert done.code == 0, done.err
        _assert_whole()
    else:
        assert done.code == 3
        assert "another run has finished there meanwhile" in done.err
        assert {f"{OUT}/manifest.json": b'{"run_id": "first"}'} == OBJECTS


def test_another_run_is_refused(grade: Any) -> None:
    assert grade("out", "--run-id", "a").code == 0
    assert grade("out", "--run-id", "a").code == 0
    done = grade("out", "--run-id", "b")
    assert done.code == 2
    assert "holds a finished run" in done.err


def test_runs_side_by_side(grade: Any, gradebeam: Command) -> None:
    for name in ("a", "b"):
        assert grade("bucket://b/graded/{run_id}/out", "--run-id", name).code == 0
        _assert_whole(f"bucket://b/graded/{name}/out")
        assert grade("graded/{run_id}", "--run-id", name).code == 0
    for directory, outputs in (
        ("bucket://b/graded", ["bucket://b/graded/a/out", "bucket://b/graded/b/out"]),
        ("graded", ["graded/a", "graded/b"]),
        ("graded/b", ["graded/b"]),
    ):
        listed = gradebeam("runs", directory, "--json")
        assert listed.code == 0, listed.err
        runs = [json.loads(line) for line in listed.out.splitlines()]
        assert [run["output"] for run in runs] == outputs
        assert {run["counts"]["passed"] for run in runs} == {10}
        assert {run["gates"] for run in runs} == {"none"}
    shown = gradebeam("runs", "graded")
    assert "graded/a" in shown.out
    assert gradebeam("runs", "runs").code == 2


@pytest.mark.parametrize("name", ["", "a/b", "..", "{x}"])
def test_an_id_is_a_plain_name(grade: Any, name: str) -> None:
    assert grade("out", "--run-id", name).code == 2
