"""What tests of the command share: a way to start it here, and a directory with input and spec."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from tests.record_columns import Row
from tests.record_files import write_parquet

ROWS: list[Row] = [
    {
        "trajectory_id": f"t{at}",
        "sample_id": f"s{at % 2}",
        "output": "done" if at % 3 else None,
        "events": [
            {"type": "user_message", "content": "go"},
            {"type": "tool_call", "tool_name": "save" if at % 2 else "load", "arguments": '{"n":1}'},
            {"type": "assistant_message", "content": "all done"},
        ],
    }
    for at in range(6)
]
SPEC: dict[str, Any] = {
    "version": 1,
    "checks": [
        {"type": "hasToolCall", "name": "saves", "config": {"tool": "save"}},
        {"type": "outputMatches", "config": {"value": "done"}},
    ],
}


@dataclasses.dataclass(frozen=True)
class Finished:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str


Command = Callable[..., Finished]


@pytest.fixture
def gradebeam(capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Start the command in this process."""

    def start(*arguments: object) -> Finished:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        out, err = capsys.readouterr()
        return Finished(code, out, err)

    return start


@pytest.fixture
def work(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A directory to work in, with `runs/a.parquet` and `spec.yaml`."""
    monkeypatch.chdir(tmp_path)
    write_parquet(tmp_path / "runs" / "a.parquet", ROWS)
    (tmp_path / "spec.yaml").write_text(json.dumps(SPEC))
    return tmp_path


def verdicts(output: pathlib.Path) -> list[dict[str, Any]]:
    """The verdict table of a run, in order of trajectory and check."""
    rows = [
        row
        for file in sorted((output / "verdicts").glob("*.parquet"))
        for row in pq.read_table(file).to_pylist()
    ]
    return sorted(rows, key=lambda row: (row["spec_index"], row["trajectory_id"], row["event_index"] or 0))


def trajectories(output: pathlib.Path) -> list[dict[str, Any]]:
    """The trajectory table of a run, in order of spec and trajectory."""
    rows = [
        row
        for file in sorted((output / "trajectories").glob("*.parquet"))
        for row in pq.read_table(file).to_pylist()
    ]
    return sorted(rows, key=lambda row: (row["spec"], row["trajectory_id"]))


def manifest(output: pathlib.Path) -> dict[str, Any]:
    """The manifest of a finished run."""
    return json.loads((output / "manifest.json").read_text())
