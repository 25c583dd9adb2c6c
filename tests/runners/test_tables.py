"""The same table, to the byte, on every runner: nothing hides in one process."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import pyarrow.parquet as pq

from tests.case_files import Case, all_cases
from tests.pipeline.conftest import manifest
from tests.record_columns import Row
from tests.record_files import write_avro, write_parquet
from tests.runners.conftest import ROOT, Work
from tests.same_outputs import differences

PLUGIN: dict[str, Any] = {"type": "message-length", "config": {"max": 20}}
CRASH: dict[str, Any] = {"type": "crashes-every", "config": {"rows": 7}}


def _write(work: Work) -> None:
    """Records and checks of the cases of some types, in two formats, with rows that cannot be read."""
    cases = list({case.check_type: case for case in all_cases() if _is_steady(case)}.values())[::4]
    rows: list[Row] = [row for case in cases for row in case.rows()]
    rows = [{**row, "trajectory_id": f"t{at}"} for at, row in enumerate(rows * 4)]
    rows += [{**rows[0], "trajectory_id": None}] * 3
    checks = [{key: value for key, value in case.check.items() if key != "name"} for case in cases]
    work.write(rows[::2], [*checks, PLUGIN, CRASH], row_group_size=20)
    write_avro(work.path / "more" / "b.avro", rows[1::2])
    write_parquet(work.path / "more" / "c.parquet", rows[:9])


def _is_steady(case: Case) -> bool:
    """Whether the verdict does not depend on the machine."""
    return case.is_in_events and all(expected.code != "TIMEOUT" for expected in case.expectations)


def test_the_table_of_a_local_run(work: Work, engine: list[str]) -> None:
    _write(work)
    settings = ["--input", "more", "--max-quarantined", "0.2", "--slice", "sample_id"]
    local = work.start(*settings, "--workers", 1)
    assert local.returncode == 0, local.stderr
    there = work.start(*settings, "--output", "there", "--", *engine)
    assert there.returncode == 0, there.stderr
    assert "WARNING" not in there.stderr
    output = work.path / "there"
    assert manifest(output)["runner"] in engine[0]
    assert manifest(output)["counts"]["quarantined_rows"] == 3
    assert list(differences(output, work.path / "out")) == []
    _assert_nothing_else(output)


def test_the_job_of_the_sample_on_one_worker_two_and_a_cluster(work: Work, engine: list[str]) -> None:
    (work.path / "configs").symlink_to(ROOT / "configs")
    work.finish([sys.executable, str(ROOT / "scripts" / "make_sample.py"), ".sample/runs"])
    job = [*work.command()[:4], "--job", "configs/jobs/local.yaml", "--output"]
    for output, flags in (
        ("one", ["--workers", "1"]),
        ("two", ["--workers", "2"]),
        ("there", ["--", *engine]),
    ):
        done = work.finish([*job, output, *flags])
        assert done.returncode == 0, done.stderr
        assert list(differences(work.path / output, work.path / "one")) == []
        _assert_nothing_else(work.path / output)


def _assert_nothing_else(output: pathlib.Path) -> None:
    """The files are those that the manifest names, with so many rows."""
    record = manifest(output)
    for key, table in (("verdict_files", "verdicts"), ("trajectory_files", "trajectories")):
        named = {file["name"]: file["rows"] for file in record[key]}
        assert {path.name: pq.read_metadata(path).num_rows for path in (output / table).iterdir()} == named
    assert [path.name for path in output.iterdir() if path.name.startswith(".")] == []
