"""The metrics of a run, as Prometheus reads them."""

from __future__ import annotations

import importlib.util
import pathlib

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.pipeline.conftest import ROWS, Command, manifest
from tests.record_files import write_parquet

RUN = ("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", "--slice", "sample_id")
GATES = """
spec: spec.yaml
gates:
  - min_pass_rate: 0.1
  - {check: saves, min_pass_rate: 0.9, min_total: 1}
"""


def _samples(path: pathlib.Path) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    families = list(text_string_to_metric_families(path.read_text()))
    assert {family.type for family in families} == {"gauge"}
    assert all(family.documentation for family in families)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def test_what_stands_in_them(work: pathlib.Path, gradebeam: Command) -> None:
    write_parquet(work / "runs" / "b.parquet", [{**ROWS[0], "trajectory_id": None}])
    (work / "job.yaml").write_text(GATES)
    done = gradebeam(
        *RUN, "--job", "job.yaml", "--max-quarantined", 0.2, "--metrics-file", work / "gradebeam.prom"
    )
    assert done.code == 1, done.err  # Half of the runs save nothing.
    record = manifest(work / "out")
    found = _samples(work / "gradebeam.prom")
    spec = ("spec", "spec.yaml")

    def value(name: str, **labels: str) -> float:
        return found.pop((f"gradebeam_{name}", frozenset([spec, *labels.items()])))

    assert value("trajectories") == 6
    assert value("quarantined_rows") == 1
    for check_type, counts in {"hasToolCall": (3, 3, 0), "outputMatches": (6, 0, 0)}.items():
        for outcome, count in zip(("passed", "failed", "abstained"), counts, strict=True):
            assert value("verdicts", check_type=check_type, outcome=outcome) == count
    assert value("gates", is_met="true") == 2
    assert value("gates", is_met="false") == 1
    assert value("run_seconds") == record["timings"]["total_seconds"]
    assert value("pipeline_seconds") == record["timings"]["pipeline_seconds"]
    assert value("finished_timestamp_seconds") > 1_700_000_000
    assert found == {}


@pytest.mark.parametrize(
    ("path", "said"),
    [("missing/gradebeam.prom", "the directory of missing/"), ("gs://bucket/x.prom", "no local path")],
)
def test_a_file_that_cannot_be_is_refused_before_anything_runs(
    work: pathlib.Path, gradebeam: Command, path: str, said: str
) -> None:
    done = gradebeam(*RUN, "--metrics-file", path)
    assert done.code == 2
    assert said in done.err
    assert not (work / "out").exists()


def test_without_the_client(work: pathlib.Path, gradebeam: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    done = gradebeam(*RUN, "--metrics-file", "gradebeam.prom")
    assert done.code == 2
    assert "gradebeam[metrics]" in done.err


def test_a_run_counts_though_its_metrics_cannot_be_written(
    work: pathlib.Path, gradebeam: Command, caplog: pytest.LogCaptureFixture
) -> None:
    (work / "gradebeam.prom").mkdir()
    done = gradebeam(*RUN, "--metrics-file", "gradebeam.prom")
    assert done.code == 0, done.err
    assert "the metrics are not written" in caplog.text
    assert manifest(work / "out")["counts"]["trajectories"] == 6
    assert [path.name for path in work.iterdir() if path.name.startswith("gradebeam.prom.")] == []
