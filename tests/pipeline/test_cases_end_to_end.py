"""All cases in one run of the real command, from Parquet, Avro and JSON lines: the verdict table is right."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests import judged_cases
from tests.case_files import Case, Expectation, all_cases
from tests.pipeline.conftest import manifest, verdicts
from tests.record_columns import Row
from tests.record_files import write_avro, write_jsonl, write_parquet

WRITERS: dict[str, Callable[[pathlib.Path, list[Row]], pathlib.Path]] = {
    "parquet": write_parquet,
    "avro": write_avro,
    "jsonl": write_jsonl,
}


def _is_quick(case: Case) -> bool:
    """All but the cases in which a search runs into its limit, which takes a second; one of them is enough."""
    return case.name == "echo-timeout" or all(expected.code != "TIMEOUT" for expected in case.expectations)


def _is_told(case: Case) -> bool:
    """All but the cases of a spent budget, which no cache can tell."""
    return all(expected.code != "JUDGE_BUDGET" for expected in case.expectations)


CASES = [case for case in all_cases() if _is_quick(case) and _is_told(case)]


def _spread(rows: list[Row]) -> dict[str, list[Row]]:
    """Files of three kinds: events and messages apart, and both as columns of one file."""
    chats = [row for row in rows if "messages" in row]
    logs = [row for row in rows if "events" in row]
    return {"logs": logs[::2], "chats": chats[::2], "mixed": [*logs[1::2], *chats[1::2]]}


@pytest.fixture(scope="module", params=list(WRITERS))
def output(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The output directory of the run."""
    work = tmp_path_factory.mktemp(request.param)
    rows = [row for case in CASES for row in case.rows()]
    for name, part in _spread(rows).items():
        WRITERS[request.param](work / "runs" / f"{name}.{request.param}", part)
    spec = {"version": 1, "checks": [case.entry() for case in CASES]}
    (work / "spec.yaml").write_text(json.dumps(spec))
    (work / "job.yaml").write_text(json.dumps(judged_cases.job()))
    judged_cases.write_cache(work / "cache", [case for case in CASES if case.replies is not None])
    command = [
        sys.executable,
        "-m",
        "pipeline",
        "run",
        "--job",
        "job.yaml",
        "--spec",
        "spec.yaml",
        "--input",
        "runs",
        "--output",
        "out",
    ]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return work / "out"


def _rows_of(case: Case, table: list[dict[str, Any]]) -> list[tuple[Expectation, dict[str, Any] | None]]:
    by_id = {row["trajectory_id"]: row for row in table if row["check_name"] == case.name}
    pairs = [
        (expected, by_id.pop(row["trajectory_id"], None))
        for row, expected in zip(case.rows(), case.expectations, strict=True)
    ]
    assert not by_id, "verdicts on records of other cases"
    return pairs


def test_the_verdict_table_is_that_of_the_cases(output: pathlib.Path) -> None:
    table = verdicts(output)
    wrong = [
        f"{case.name}, record {number}: {row}"
        for case in CASES
        for number, (expected, row) in enumerate(_rows_of(case, table))
        if not _is_as_expected(row, expected)
    ]
    assert not wrong, "\n".join(wrong)


def _is_as_expected(row: dict[str, Any] | None, expected: Expectation) -> bool:
    if row is None or expected.outcome == "none":
        return row is None and expected.outcome == "none"
    return (
        all(row[key] == value for key, value in expected.fields.items())
        and row["code"] == expected.code
        and (expected.evidence is None or expected.evidence in row["evidence"])
    )


def test_the_table_says_which_check_and_which_record(output: pathlib.Path) -> None:
    samples = {row["trajectory_id"]: row["sample_id"] for case in CASES for row in case.rows()}
    for row in verdicts(output):
        case = CASES[row["spec_index"]]
        assert (row["check_name"], row["check_type"]) == (case.name, case.check_type)
        assert row["sample_id"] == (samples[row["trajectory_id"]] or row["trajectory_id"])
        assert (row["score"] is None) == (row["outcome"] == "abstain")


def test_the_summary_counts_the_verdicts(output: pathlib.Path) -> None:
    table = verdicts(output)
    for row in json.loads((output / "summary.json").read_text()):
        mine = [verdict for verdict in table if verdict["spec_index"] == row["spec_index"]]
        counts = {
            outcome: sum(verdict["outcome"] == outcome for verdict in mine)
            for outcome in ("pass", "fail", "abstain")
        }
        assert (row["passed"], row["failed"], row["abstained"]) == tuple(counts.values())
        assert row["total"] == len(mine)
        codes = [verdict["code"] for verdict in mine if verdict["code"]]
        assert row["abstain_reasons"] == {code: codes.count(code) for code in sorted(set(codes))}
    counted = manifest(output)["counts"]
    assert counted["verdicts"] == len(table)
    assert counted["quarantined_rows"] == 0
