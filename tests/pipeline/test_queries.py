"""The queries that the documentation shows run on the tables of a run, and say what the tables say."""

from __future__ import annotations

import collections
import json
import pathlib
import re
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from tests.golden_run import SPEC, rows
from tests.pipeline.conftest import trajectories, verdicts
from tests.record_files import write_parquet

README = pathlib.Path(__file__).parents[2] / "pipeline" / "README.md"
QUERIES = re.findall(r"```sql\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A run of two models, of which some samples pass sometimes."""
    work = tmp_path_factory.mktemp("queries")
    made = [{**row, "model": ["large", "small"][at % 2]} for at, row in enumerate(rows())]
    write_parquet(work / "runs.parquet", made)
    checks = [SPEC["checks"][4], SPEC["checks"][1]]
    (work / "spec.json").write_text(json.dumps({"version": 1, "checks": checks}))
    flags = ("--spec", work / "spec.json", "--input", work / "runs.parquet", "--slice", "model")
    assert main(["run", *map(str, flags), "--output", str(work / "out"), "--workers", "1"]) == 0
    return work / "out"


@pytest.fixture
def query(output: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the documented query that holds a text, in the directory of the run."""
    monkeypatch.chdir(output)

    def run(part: str) -> list[tuple[Any, ...]]:
        (text,) = [text for text in QUERIES if part in text]
        return duckdb.sql(text).fetchall()

    return run


def test_every_query_is_tested() -> None:
    assert len(QUERIES) == 6


def test_checks_that_fail(query: Any, output: pathlib.Path) -> None:
    failed = collections.Counter(
        (row["check_type"], row["check_name"]) for row in verdicts(output) if row["outcome"] == "fail"
    )
    assert {row[:2]: row[2] for row in query("Why runs fail")} == failed


def test_flaky_samples(query: Any, output: pathlib.Path) -> None:
    found = query("sometimes")
    assert found
    by_sample = collections.defaultdict(list)
    for row in trajectories(output):
        by_sample[row["sample_id"]].append(row["outcome"])
    flaky = {name for name, outcomes in by_sample.items() if {"passed", "failed"} <= set(outcomes)}
    assert {row[0] for row in found} == flaky
    for name, trials, passed, *_ in found:
        assert (trials, passed) == (len(by_sample[name]), by_sample[name].count("passed"))


def test_pass_rates(query: Any, output: pathlib.Path) -> None:
    row = pq.read_table(output / "scores.parquet").to_pylist()[0]
    expected = zip(row["pass_at_k"], row["pass_hat_k"], row["samples_at_k"], strict=True)
    assert query("a row per k") == [(0, k, *values) for k, values in enumerate(expected, 1)]


def test_models(query: Any, output: pathlib.Path) -> None:
    table = pq.read_table(output / "scores.parquet").to_pylist()
    expected = [(r["slice_value"], r["passed"], r["passed"] + r["failed"]) for r in table if r["slice_key"]]
    assert len(expected) == 2
    assert query("by model") == expected


def test_one_check_and_not_the_other(query: Any, output: pathlib.Path) -> None:
    said = {(row["trajectory_id"], row["spec_index"]): row["outcome"] for row in verdicts(output)}
    ids = sorted({name for name, _ in said})
    expected = [(name,) for name in ids if (said[name, 0], said[name, 1]) == ("pass", "fail")]
    assert expected
    assert query("fail another") == expected


def test_abstentions(query: Any, output: pathlib.Path) -> None:
    codes = collections.Counter((r["spec_index"], r["code"]) for r in verdicts(output) if r["code"])
    assert {row[:2]: row[2] for row in query("Why checks abstain")} == codes
