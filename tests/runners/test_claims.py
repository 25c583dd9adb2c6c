"""Two runs at once into one directory: one of them writes, the other is told so and leaves nothing."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from pipeline.errors import InvalidError
from pipeline.outputs.claim import claimed
from tests.pipeline.conftest import manifest, verdicts
from tests.runners.conftest import ROOT, SECONDS, Work
from tests.runners.test_faults import SAVES, TOOL

_CLAIM_AND_DIE = """
import os, signal, sys
from pipeline.outputs.claim import claimed
with claimed(sys.argv[1], "killed"):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("attempt", range(2))
def test_two_runs_at_once(work: Work, attempt: int) -> None:
    rows = [{"trajectory_id": f"t{at}", "events": [TOOL]} for at in range(20)]
    work.write(rows, [SAVES], row_group_size=5)
    started = [
        subprocess.Popen(
            work.command("--run-id", name, "--workers", 1),
            cwd=work.path,
            env=work.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    said = [process.communicate(timeout=SECONDS)[1] for process in started]
    codes = [process.returncode for process in started]
    assert sorted(codes) == [0, 2], said
    refused = said[codes.index(2)]
    assert "is writing there" in refused or "holds a finished run" in refused
    record = manifest(work.path / "out")
    assert record["run_id"] == "ab"[codes.index(0)]
    assert {path.name for path in (work.path / "out" / "verdicts").iterdir()} == {
        file["name"] for file in record["verdict_files"]
    }
    assert len(verdicts(work.path / "out")) == 20
    assert [name for name in work.left() if name.startswith(".")] == []


def test_two_runs_with_ids_of_their_own(work: Work) -> None:
    work.write([{"trajectory_id": "t", "events": [TOOL]}], [SAVES], row_group_size=5)
    started = [
        subprocess.Popen(
            work.command("--output", "graded/{run_id}"),
            cwd=work.path,
            env=work.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in started:
        _, said = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, said
    runs = list((work.path / "graded").iterdir())
    assert sorted(manifest(run)["run_id"] for run in runs) == sorted(run.name for run in runs)
    assert len(runs) == 2


def test_a_claim_names_its_owner(tmp_path: pathlib.Path) -> None:
    with (
        claimed(str(tmp_path), "first"),
        pytest.raises(InvalidError, match=rf"\(first, process {os.getpid()} on .*, since 2.*\) is writing"),
        claimed(str(tmp_path), "second"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_claim_of_a_killed_run_is_taken_over(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-c", _CLAIM_AND_DIE, str(tmp_path)]
    killed = subprocess.run(command, cwd=ROOT, timeout=SECONDS, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == [".claim"]
    with claimed(str(tmp_path), "next"):
        assert (tmp_path / ".claim").read_text().startswith("next, ")
    assert list(tmp_path.iterdir()) == []


def test_an_owner_that_ends_between_opening_and_locking(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file is gone, so that a lock on it would keep nobody away."""
    lock, claim = fcntl.flock, tmp_path / ".claim"
    claim.touch()

    def lock_late(*given: int) -> None:
        if claim.exists() and not claim.read_text():
            claim.unlink()
            monkeypatch.undo()
        lock(*given)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    with (
        claimed(str(tmp_path), "first"),
        pytest.raises(InvalidError, match="first"),
        claimed(str(tmp_path), "second"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_where_there_are_no_locks(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with caplog.at_level(logging.WARNING), claimed(str(tmp_path), "a"), claimed(str(tmp_path), "b"):
        assert "nothing keeps another run" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_system_without_fcntl(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    script = "import sys; sys.modules['fcntl'] = None; import pipeline.cli"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=SECONDS, check=True)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with caplog.at_level(logging.WARNING), claimed(str(tmp_path), "a"):
        assert "nothing keeps another run" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_made(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("mine")
    with (
        pytest.raises(InvalidError, match="the output directory cannot be made: Not a directory"),
        claimed(str(tmp_path / "file" / "out"), "a"),
    ):
        pass
