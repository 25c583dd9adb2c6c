"""Workers that start in another directory find what a user names by relative paths."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.judges.stand_in import PASS, Asked, StandIn
from tests.runners.conftest import Work

pytestmark = pytest.mark.slow

SAVES: dict[str, Any] = {"type": "hasToolCall", "name": "saves", "config": {"tool": "save"}}


def _row(at: int, tool: str) -> dict[str, Any]:
    events = [
        {"type": "tool_call", "tool_name": tool},
        {"type": "assistant_message", "content": f"message {at}"},
    ]
    return {"trajectory_id": f"t{at}", "events": events}


def _gradebeam(work: Work, *arguments: str) -> None:
    done = work.finish([sys.executable, "-m", "pipeline", *arguments])
    assert done.returncode == 0, done.stderr


def test_a_run_with_its_baseline_and_a_comparison(work: Work, job_server: list[str]) -> None:
    work.write([_row(at, "save") for at in range(9)], [SAVES], row_group_size=2)
    _gradebeam(work, "run", "--spec=spec.yaml", "--input=runs", "--output=base")
    work.write([_row(at, "save" if at else "load") for at in range(9)], [SAVES], row_group_size=2)
    run = ["run", "--spec=spec.yaml", "--input=runs", "--output=out", "--baseline=base"]
    _gradebeam(work, *run, "--", *job_server)
    _gradebeam(work, "compare", "base", "out", "--output=changes", "--", *job_server)
    for directory in ("out", "changes"):
        changes = pq.read_table(work.path / directory / "changes").to_pylist()
        assert [(row["sample_id"], row["run_trajectory_id"]) for row in changes] == [("t0", "t0")]
        assert _left(work.path / directory) == []


def test_replies_of_judges_go_to_the_cache_beside_the_output(work: Work, job_server: list[str]) -> None:
    check = {"type": "llmJudge", "name": "kind", "config": {"rubric": "Is it kind?"}}
    work.write([_row(at, "save") for at in range(4)], [check], row_group_size=2)

    def act(asked: Asked) -> Any:
        return PASS

    with StandIn(act).running() as server:
        provider = {"name": "judge", "kind": "openai", "model": "m", "base_url": server.openai_url}
        job = {"judges": {"providers": [{**provider, "key_env": "JUDGE_KEY"}]}}
        (work.path / "job.yaml").write_text(json.dumps(job))
        run = ["run", "--job=job.yaml", "--spec=spec.yaml", "--input=runs"]
        _gradebeam(work, *run, "--output=out", "--", *job_server)
    assert pq.read_table(work.path / "judge-cache").num_rows == 4
    _gradebeam(work, *run, "--output=again", "--judge=cache-only", "--", *job_server)
    outcomes = pq.read_table(work.path / "again" / "verdicts")["outcome"].to_pylist()
    assert outcomes == ["pass"] * 4


def _left(directory: pathlib.Path) -> list[str]:
    """What a run should have cleared away."""
    return [path.name for path in directory.iterdir() if path.name.startswith(".")]
