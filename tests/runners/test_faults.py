"""Faults in the middle of a run: nothing is lost, nothing is counted twice, or there is no success mark."""

from __future__ import annotations

import json
import pathlib
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import pipeline.prepared
from pipeline.sources.inputs import InputFile, find_inputs
from tests.pipeline.conftest import Command, manifest, verdicts
from tests.record_columns import Row
from tests.runners.conftest import FAULTY, SECONDS, Work

RETRYING = FAULTY.parent / "retrying_runner.py"
TOOL = {"type": "tool_call", "tool_name": "save", "arguments": "{}"}
SAVES: dict[str, Any] = {"type": "hasToolCall", "config": {"tool": "save"}}


def _rows(count: int) -> list[Row]:
    return [{"trajectory_id": f"t{at}", "events": [TOOL] if at % 3 else []} for at in range(count)]


def _happens(work: Work, check_type: str, **config: object) -> dict[str, Any]:
    """A check that does something at a row in the middle, once."""
    return {"type": check_type, "config": {"id": "t55", "marker": str(work.path / "marker"), **config}}


def _assert_whole(output: pathlib.Path, rows: int, checks: int) -> None:
    """A finished run of whole tables, in which every row has each verdict once."""
    record = manifest(output)
    assert record["counts"]["trajectories"] == rows
    assert record["counts"]["verdicts"] == rows * checks
    keys = [(row["trajectory_id"], row["spec_index"]) for row in verdicts(output)]
    assert len(keys) == len(set(keys)) == rows * checks
    summary = json.loads((output / "summary.json").read_text())
    assert [cell["total"] for cell in summary] == [rows] * checks
    assert [path.name for path in output.iterdir() if path.name.startswith(".")] == []


def test_a_worker_process_is_killed(work: Work) -> None:
    work.write(_rows(100), [SAVES, _happens(work, "kills-worker")], row_group_size=5)
    done = work.start("--workers", 2)
    assert done.returncode == 3, done.stderr
    assert "a worker process died" in done.stderr
    assert work.left() == []
    again = work.start("--workers", 2)
    assert again.returncode == 0, again.stderr
    _assert_whole(work.path / "out", 100, 2)


@pytest.mark.prism
def test_a_worker_of_the_pool_is_killed(work: Work, prism: list[str]) -> None:
    work.write(_rows(100), [SAVES, _happens(work, "kills-worker")], row_group_size=5)
    done = work.start("--", *prism)
    assert done.returncode == 3, done.stderr
    assert work.left() == []
    again = work.start("--", *prism)
    assert again.returncode == 0, again.stderr
    _assert_whole(work.path / "out", 100, 2)


@pytest.mark.flink
@pytest.mark.parametrize("check_type", ["kills-worker", "loses-disk"])
def test_flink_starts_again(work: Work, flink: list[str], check_type: str) -> None:
    """A worker that dies, or a bundle that fails twice; the cluster has a restart strategy."""
    config = {"output": str(work.path / "out")} if check_type == "loses-disk" else {}
    work.write(_rows(100), [SAVES, _happens(work, check_type, **config)], row_group_size=5)
    done = work.start("--", *flink)
    assert done.returncode == 0, done.stderr
    _assert_whole(work.path / "out", 100, 2)


def test_a_bundle_fails_where_nobody_tries_again(work: Work) -> None:
    fault = _happens(work, "loses-disk", output=str(work.path / "out"))
    work.write(_rows(100), [SAVES, fault], row_group_size=5)
    done = work.start("--workers", 1)
    assert done.returncode == 3, done.stderr
    assert "the pipeline failed" in done.stderr
    assert work.left() == []


@pytest.mark.prism
def test_a_bundle_fails_on_prism(work: Work, prism: list[str]) -> None:
    fault = _happens(work, "loses-disk", output=str(work.path / "out"))
    work.write(_rows(100), [SAVES, fault], row_group_size=5)
    done = work.start("--", *prism)
    assert done.returncode == 3, done.stderr
    assert work.left() == []


def test_a_bundle_fails_twice_and_then_passes(work: Work) -> None:
    """The others are done three times all the same, of which one counts."""
    fault = _happens(work, "loses-disk", output=str(work.path / "out"))
    work.write(_rows(100), [SAVES, fault], row_group_size=5)
    done = work.finish([sys.executable, str(RETRYING), *work.command("--workers", 1)[3:]])
    assert done.returncode == 0, done.stderr
    assert (work.path / "marker").read_text() == "xxx"
    _assert_whole(work.path / "out", 100, 2)


def test_a_disk_fills(work: Work) -> None:
    checks = [{"type": "outputMatches", "name": f"c{at}", "config": {"value": str(at)}} for at in range(20)]
    work.write([{**row, "output": "x"} for row in _rows(20_000)], checks, row_group_size=10_000)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = work.start("--workers", 2, preexec_fn=limit)
    assert done.returncode == 3, done.stderr
    assert "File too large" in done.stderr
    assert work.left() == []


@pytest.mark.parametrize(("workers", "sent"), [(1, signal.SIGINT), (2, signal.SIGTERM)])
def test_a_signal_in_the_middle(work: Work, workers: int, sent: signal.Signals) -> None:
    _signal_in_the_middle(work, sent, "--workers", workers)


def test_a_signal_while_a_cluster_works(work: Work, engine: list[str]) -> None:
    _signal_in_the_middle(work, signal.SIGTERM, "--", *engine)


def _signal_in_the_middle(work: Work, sent: signal.Signals, *flags: object) -> None:
    work.write(_rows(100), [SAVES, _happens(work, "waits")], row_group_size=5)
    with subprocess.Popen(
        work.command(*flags),
        cwd=work.path,
        env=work.environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        _await(work.path / "marker")
        process.send_signal(sent)
        _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, said
    assert "interrupted" in said
    assert work.left() == []


def _await(path: pathlib.Path) -> None:
    end = time.monotonic() + SECONDS
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.02)


def test_a_check_crashes_on_every_thousandth_row(work: Work) -> None:
    rows = [{**row, "events": [TOOL]} for row in _rows(3_000)]
    work.write(rows, [SAVES, {"type": "crashes-every", "config": {"rows": 1000}}], row_group_size=700)
    done = work.start("--workers", 1)
    assert done.returncode == 0, done.stderr
    _assert_whole(work.path / "out", 3_000, 2)
    summary = json.loads((work.path / "out" / "summary.json").read_text())
    assert summary[1]["passed"] == 2_997
    assert summary[1]["abstain_reasons"] == {"CHECK_CRASHED": 3}


def _truncate(path: pathlib.Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("harm", [_truncate, pathlib.Path.unlink])
@pytest.mark.parametrize("share", [0.001, 1])
def test_a_file_goes_bad_after_it_was_listed(
    work: Work,
    gradebeam: Command,
    monkeypatch: pytest.MonkeyPatch,
    harm: Callable[[pathlib.Path], None],
    share: float,
) -> None:
    work.write(_rows(100), [SAVES], row_group_size=5)
    bad = work.path / "runs" / "a.parquet"
    good = work.path / "runs" / "b.parquet"
    good.write_bytes(bad.read_bytes())

    def find_then_harm(*arguments: Any) -> list[InputFile]:
        found = find_inputs(*arguments)
        harm(bad)
        return found

    monkeypatch.setattr(pipeline.prepared, "find_inputs", find_then_harm)
    monkeypatch.chdir(work.path)
    done = gradebeam(*work.command("--workers", 1, "--max-quarantined", share)[3:])
    if share == 1:
        assert done.code == 0, done.err
        counts = manifest(work.path / "out")["counts"]
        assert counts["trajectories"] + counts["quarantined_rows"] == 200
        assert counts["trajectories"] == counts["verdicts"] >= 100
        assert counts["quarantined_rows"] > 0
    else:
        assert done.code == 3
        assert "a.parquet" in done.err
        assert work.left() == ["quarantine.jsonl"]
