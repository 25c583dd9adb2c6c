"""What tests of judged runs share: records, a spec, a job whose judges are a stand-in, and the command."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from tests.judges.stand_in import StandIn
from tests.record_columns import Row
from tests.record_files import write_parquet

KEY = "sk-a-very-secret-key-of-the-tests"
SPEC: dict[str, Any] = {
    "version": 1,
    "checks": [
        {"type": "llmJudge", "name": "kind", "config": {"rubric": "Is it kind?"}},
        {"type": "hasToolCall", "name": "saves", "config": {"tool": "save"}},
    ],
}


def row(number: int, text: str | None = None) -> Row:
    """A record whose only message is its own."""
    return {
        "trajectory_id": f"t{number:05}",
        "events": [
            {"type": "user_message", "content": "go"},
            {"type": "assistant_message", "content": text or f"message {number}"},
        ],
    }


@dataclasses.dataclass
class Work:
    """A directory with records, a spec and a job."""

    path: pathlib.Path

    def write(
        self,
        server: StandIn | None,
        rows: list[Row],
        spec: dict[str, Any] = SPEC,
        kinds: tuple[str, ...] = ("openai",),
        **settings: Any,
    ) -> None:
        write_parquet(self.path / "runs" / "runs.parquet", rows)
        (self.path / "spec.yaml").write_text(json.dumps(spec))
        names = ("judge", "second", "third")
        providers = [
            {
                "name": name,
                "kind": kind,
                "model": f"model-{name}",
                "base_url": server.url(kind) if server else "http://127.0.0.1:9",
                "key_env": "JUDGE_KEY",
                "max_retries": 3,
                **settings,
            }
            for name, kind in zip(names, kinds, strict=False)
        ]
        (self.path / "job.yaml").write_text(json.dumps({"judges": {"providers": providers}}))

    def arguments(self, *flags: str, out: str = "out") -> list[str]:
        paths = {"--job": "job.yaml", "--spec": "spec.yaml", "--input": "runs", "--output": out}
        return [
            "run",
            *(part for flag, name in paths.items() for part in (flag, str(self.path / name))),
            *flags,
        ]

    def run(self, *flags: str, out: str = "out") -> int:
        return main(self.arguments(*flags, out=out))

    def verdicts(self, check: str = "kind", out: str = "out") -> dict[str, dict[str, Any]]:
        table = pq.read_table(self.path / out / "verdicts")
        return {row["trajectory_id"]: row for row in table.to_pylist() if row["check_name"] == check}

    def manifest(self, out: str = "out") -> dict[str, Any]:
        return json.loads((self.path / out / "manifest.json").read_text())

    def summary(self, out: str = "out") -> bytes:
        return (self.path / out / "summary.csv").read_bytes()


@pytest.fixture
def work(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """An empty directory of one's own, and a key in the environment."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    assert os.environ["JUDGE_KEY"] == KEY
    return Work(tmp_path)
