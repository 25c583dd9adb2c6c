"""Logs as lines of JSON, and what Beam counts."""

from __future__ import annotations

import datetime
import json
import logging
import os
import pathlib
import threading
from typing import Any

import apache_beam as beam
import pytest

from pipeline.build import build
from pipeline.logs import JsonFormatter, json_logs, log_with, worker_handler
from pipeline.outputs.claim import claimed
from pipeline.outputs.commit import open_staging
from pipeline.sources.inputs import find_inputs
from pipeline.sources.records import ColumnMap
from pipeline.specs.load import load_spec
from tests.pipeline.conftest import ROWS, Command
from tests.record_files import write_parquet

RUN = ("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out")
JSON = ("--log-format", "json")


def _lines(text: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in text.splitlines()]
    assert all(list(line)[:4] == ["time", "level", "logger", "message"] for line in lines)
    return lines


def test_a_run_in_lines_of_json(work: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam(*RUN, *JSON, "--run-id", "a")
    assert done.code == 0, done.err
    begins, *_, ends = _lines(done.err)
    assert (begins["message"], begins["level"], begins["logger"]) == (
        "the run begins",
        "INFO",
        "pipeline.run",
    )
    assert (begins["run_id"], begins["input_files"]) == ("a", 1)
    assert datetime.datetime.fromisoformat(begins["time"]).tzinfo is datetime.UTC
    assert {key: value for key, value in ends.items() if key not in ("time", "wall_time_s")} == {
        "level": "INFO",
        "logger": "pipeline.run",
        "message": "the run is finished",
        "run_id": "a",
        "output": "out",
        "trajectories": 6,
        "verdicts": 12,
        "quarantined_rows": 0,
        "gates_met": None,
    }


def test_mistakes_in_lines_of_json(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "spec.yaml").write_text("version: 1\nchecks: [{type: hasToolCal}, {type: outputMatchs}]\n")
    plain = gradebeam(*RUN)
    done = gradebeam(*RUN, *JSON)
    assert (plain.code, done.code) == (2, 2)
    assert [line["message"] for line in _lines(done.err)] == plain.err.splitlines()
    assert {line["level"] for line in _lines(done.err)} == {"ERROR"}


def test_a_failed_run_is_told_with_its_id(work: pathlib.Path, gradebeam: Command) -> None:
    write_parquet(work / "runs" / "b.parquet", [{**ROWS[0], "trajectory_id": None}])
    done = gradebeam(*RUN, *JSON, "--run-id", "a")
    assert done.code == 3
    ends = _lines(done.err)[-1]
    assert (ends["level"], ends["run_id"]) == ("ERROR", "a")
    assert "could not be read" in ends["message"]


def test_text_is_the_default(work: pathlib.Path, gradebeam: Command) -> None:
    assert "the run" not in gradebeam(*RUN).err


def test_records_of_threads_and_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    import sys

    logger = logging.getLogger("elsewhere")
    with json_logs():
        log_with(run_id="a")
        settings = {"extra": {"n": 2}}
        thread = threading.Thread(target=logger.warning, args=("%d of %s", 1, "all"), kwargs=settings)
        thread.start()
        thread.join()
        print("one\ntwo", file=sys.stderr)
        try:
            int("no")
        except ValueError:
            logger.exception("failed")
        logger.info("not told")
    logger.warning("afterwards")
    lines = _lines(capsys.readouterr().err)
    assert [line["message"] for line in lines] == ["1 of all", "one", "two", "failed"]
    assert {line["run_id"] for line in lines} == {"a"}
    assert lines[0]["n"] == 2
    assert lines[3]["exception"].splitlines()[-1].startswith("ValueError: invalid")


def test_a_worker_writes_as_its_parent_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.logs._FIELDS", {})
    logger = logging.getLogger("a worker")

    def said() -> str:
        handler = worker_handler()
        logger.addHandler(handler)
        logger.info("begins")
        logger.warning("apitools not found, again")
        logger.error("what %s", "happened")
        logger.removeHandler(handler)
        return capsys.readouterr().err

    assert said() == "ERROR:a worker:what happened\n"
    with json_logs():
        log_with(run_id="a")
        inherited = os.environ["GRADEBEAM_LOG_FIELDS"]
    monkeypatch.setenv("GRADEBEAM_LOG_FIELDS", inherited)
    (line,) = _lines(said())
    assert (line["level"], line["message"], line["run_id"]) == ("ERROR", "what happened", "a")


def test_any_text_is_a_line() -> None:
    line = JsonFormatter().format(logging.makeLogRecord({"msg": "a\nb \ud800", "n": {1}}))
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["message"] == "a\nb \ud800"
    assert json.loads(line)["n"] == "{1}"


def test_counters(work: pathlib.Path) -> None:
    write_parquet(work / "runs" / "b.parquet", [*ROWS[:2], *[{**ROWS[0], "trajectory_id": None}] * 3])
    spec = load_spec("spec.yaml")
    needs = frozenset[str]().union(*(entry.needs for entry in spec.entries))
    pipeline = beam.Pipeline(runner="FnApiRunner")
    with claimed("out", "a"), open_staging("out", "a") as staging:
        build(
            pipeline,
            specs=[spec],
            inputs=find_inputs(["runs"], ColumnMap(), needs),
            columns=ColumnMap(),
            staging=staging,
        )
        result = pipeline.run()
        result.wait_until_finish()
    counted = result.metrics().query(beam.metrics.MetricsFilter().with_namespace("gradebeam"))["counters"]
    assert {counter.key.metric.name: counter.committed for counter in counted} == {
        "read_rows": 11,
        "quarantined_rows": 3,
        "graded_trajectories": 8,
        "hasToolCall_verdicts": 8,
        "outputMatches_verdicts": 8,
    }
