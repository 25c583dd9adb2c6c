"""The same table, to the byte, on every runner: nothing hides in one process."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from tests.case_files import Case, all_cases
from tests.pipeline.conftest import manifest, verdicts
from tests.record_columns import Row
from tests.record_files import write_avro, write_parquet
from tests.runners.conftest import Work

SUMMARIES = [f"summary.{format_}" for format_ in ("parquet", "csv", "avro", "json")]
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
    settings = ["--input", "more", "--max-quarantined", "0.2", "--overwrite"]
    local = work.start(*settings, "--workers", 1)
    assert local.returncode == 0, local.stderr
    here = _outputs(work.path / "out")
    there = work.start(*settings, "--", *engine)
    assert there.returncode == 0, there.stderr
    assert manifest(work.path / "out")["runner"] in engine[0]
    assert _outputs(work.path / "out") == here
    assert [name for name in work.left() if name.startswith(".")] == []


def _outputs(output: pathlib.Path) -> dict[str, Any]:
    """What must be the same; files of verdicts may be cut in other ways, so their rows are sorted."""
    record = manifest(output)
    assert record["counts"]["quarantined_rows"] == 3
    files = {file["name"]: file["rows"] for file in record["verdict_files"]}
    assert set(files) == {path.name for path in (output / "verdicts").iterdir()}
    rows = sorted(json.dumps(row, sort_keys=True) for row in verdicts(output))
    assert sum(files.values()) == len(rows)
    return {
        "rows": rows,
        "counts": record["counts"],
        "quarantine": (output / "quarantine.jsonl").read_bytes(),
        **{name: (output / name).read_bytes() for name in [*SUMMARIES, "report.md"]},
    }
