"""The tables of whole runs are what a plain loop over the records says, in fractions."""

from __future__ import annotations

import collections
import json
import math
import pathlib
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.slices import NONE, OTHER, parse_slice_key
from pipeline.build import build
from pipeline.outputs.accounts import check_accounts
from pipeline.outputs.formats import to_records
from pipeline.outputs.ledger import read_ledger
from pipeline.outputs.samples import merge_samples
from pipeline.outputs.tables import make_tables
from pipeline.sources.inputs import find_inputs, known_rows
from pipeline.sources.records import ColumnMap
from pipeline.specs.load import load_specs
from tests.pipeline.conftest import Command, trajectories
from tests.record_columns import Row
from tests.record_files import write_parquet
from tests.reference import scoring

IS_THOROUGH = settings().max_examples >= 1000
SLICES = ("model", "trial*model")
CHECKS = 3
RECORDS = st.lists(
    st.tuples(
        st.integers(0, 4),  # sample
        st.integers(0, 3),  # trial
        st.sampled_from(["a", "b", "c", None]),  # model
        st.lists(st.sampled_from([1, 0, None]), min_size=CHECKS, max_size=CHECKS),
    ),
    min_size=1,
    max_size=40,
)
LABELS = {1: "pass", 0: "fail", None: "abstain"}


def _rows(records: list[Any]) -> list[Row]:
    return [
        {
            "trajectory_id": f"t{at}",
            "sample_id": f"s{sample}",
            "trial": trial,
            "model": model,
            "events": [],
            "metadata": json.dumps({"c": outcomes}),
        }
        for at, (sample, trial, model, outcomes) in enumerate(records)
    ]


def _check(at: int, **wrapper: Any) -> dict[str, Any]:
    return {"type": "score-range", **wrapper, "config": {"path": f"c[{at}]", "min": 1}}


SPECS: list[dict[str, Any]] = [
    {"version": 1, "name": "all", "checks": [_check(0), _check(1, samples=["s[0-2]"])]},
    {"version": 1, "scoring": {"threshold": 0.3}, "checks": [_check(2, weight=0.3), _check(0, weight=0.7)]},
]


class _Run:
    """A run of both specs in this process."""

    def __init__(self, directory: pathlib.Path, records: list[Any], most: int) -> None:
        write_parquet(directory / "in.parquet", _rows(records), row_group_size=7)
        for number, spec in enumerate(SPECS):
            (directory / f"{number}.json").write_text(json.dumps(spec))
        specs = load_specs([str(directory / f"{number}.json") for number in range(len(SPECS))])
        inputs = find_inputs([str(directory / "in.parquet")], ColumnMap())
        for table in ("verdicts", "trajectories", "samples"):
            (directory / table).mkdir()
        pipeline = beam.Pipeline(runner=FnApiRunner())
        build(
            pipeline,
            specs=specs,
            inputs=inputs,
            columns=ColumnMap(),
            staging=str(directory),
            slices=[parse_slice_key(text) for text in SLICES],
            most_slice_values=most,
            batch_bytes=3000,
        )
        pipeline.run().wait_until_finish()
        self.ledger = read_ledger(str(directory))
        entries = [entry for spec in specs for entry in spec.entries]
        assert check_accounts(self.ledger, entries, known_rows(inputs), len(specs)) == []
        self.tables = {name: to_records(table) for name, table in make_tables(self.ledger, specs).items()}
        self.trajectories = trajectories(directory)
        merged = directory / "samples.parquet"
        merge_samples([str(path) for path in (directory / "samples").iterdir()], str(merged))
        self.samples = pq.read_table(merged).to_pylist()


def _slice_values(record: Any) -> dict[str, str]:
    _, trial, model, _ = record
    model = NONE if model is None else model
    return {"": "", "model": model, "trial×model": f"{trial}×{model}"}


def _kept(records: list[Any], most: int) -> dict[str, set[str]]:
    values = [_slice_values(record) for record in records]
    return {key: set(sorted({each[key] for each in values})[:most]) for key in values[0]}


def _groups(records: list[Any], most: int) -> Iterator[tuple[str, str, list[Any]]]:
    """The records of each slice key and value, capped."""
    kept = _kept(records, most)
    groups: dict[tuple[str, str], list[Any]] = {}
    for record in records:
        for key, value in _slice_values(record).items():
            groups.setdefault((key, value if value in kept[key] else OTHER), []).append(record)
    for (key, value), some in groups.items():
        yield key, value, some


def _outcomes(spec: int, record: Any) -> scoring.Scored:
    sample, _, _, c = record
    if spec == 0:
        gating = [(LABELS[c[0]], Fraction(1)), *([(LABELS[c[1]], Fraction(1))] if sample <= 2 else [])]
        return scoring.score(gating, None)
    return scoring.score([(LABELS[c[2]], Fraction(3, 10)), (LABELS[c[0]], Fraction(7, 10))], Fraction(3, 10))


def _close(found: float | None, expected: Fraction | float | None) -> bool:
    if found is None or expected is None:
        return found is None and expected is None
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-15)


def _root(variance: Fraction | None) -> float | None:
    return None if variance is None else math.sqrt(variance)


def _assert_scores(run: _Run, records: list[Any], most: int) -> None:
    rows = {(row["spec"], row["slice_key"], row["slice_value"]): row for row in run.tables["scores"]}
    assert list(rows) == sorted(rows)
    expected = {
        (spec, key, value): (spec, some) for spec in (0, 1) for key, value, some in _groups(records, most)
    }
    assert set(rows) == set(expected)
    for place, (spec, some) in expected.items():
        row = rows[place]
        # Beyond the cap a sample counts once per value.
        cluster = [f"{r[0]}" if place[2] != OTHER else f"{r[0]} {_slice_values(r)[place[1]]}" for r in some]
        said = scoring.score_row(
            [(name, _outcomes(spec, record).outcome) for name, record in zip(cluster, some, strict=True)]
        )
        for name in ("total", "passed", "failed", "undecided", "samples", "samples_at_k"):
            assert row[name] == said[name], (place, name)
        for name in ("pass_at_k", "pass_hat_k"):
            assert all(_close(*pair) for pair in zip(row[name], said[name], strict=True)), place
        assert _close(row["standard_error"], _root(said["variance"]))
        assert _close(row["standard_error_clustered"], _root(said["variance_clustered"]))


def _assert_cells(run: _Run, records: list[Any], most: int) -> None:
    """Each of the four checks, per slice, and the type, which is one."""
    places = [(0, None), (1, 2), (2, None), (0, None)]
    found = {(row["spec_index"], row["slice_key"], row["slice_value"]): row for row in run.tables["summary"]}
    sums: dict[tuple[str, str], collections.Counter[str]] = {}
    for index, (at, last_sample) in enumerate(places):
        for key, value, some in _groups(records, most):
            concerned = [r for r in some if last_sample is None or r[0] <= last_sample]
            counts = collections.Counter(LABELS[r[3][at]] for r in concerned)
            sums.setdefault((key, value), collections.Counter()).update(counts)
            if not concerned and key:
                assert (index, key, value) not in found
                continue
            row = found.pop((index, key, value))
            assert (row["passed"], row["failed"], row["abstained"]) == tuple(
                counts[k] for k in LABELS.values()
            )
            clusters: dict[str, list[int]] = {}
            for r in concerned:
                name = f"{r[0]}" if value != OTHER else f"{r[0]} {_slice_values(r)[key]}"
                clusters.setdefault(name, []).extend([] if r[3][at] is None else [r[3][at]])
            variance = scoring.clustered_variance(list(clusters.values()))
            assert _close(row["standard_error_clustered"], _root(variance))
            naive = scoring.naive_variance(counts["pass"], counts["pass"] + counts["fail"])
            assert _close(row["standard_error"], _root(naive))
    assert not found
    for row in run.tables["types"]:
        counts = sums.pop((row["slice_key"], row["slice_value"]))
        assert (row["passed"], row["failed"], row["abstained"]) == tuple(counts[k] for k in LABELS.values())
        assert row["checks"] == len(places)
    assert not +sum(sums.values(), collections.Counter())


def _assert_rows(run: _Run, records: list[Any]) -> None:
    """Each trajectory and each sample."""
    ordered = sorted((spec, f"t{at}", record) for spec in (0, 1) for at, record in enumerate(records))
    assert len(run.trajectories) == len(ordered)
    for row, (spec, trajectory_id, record) in zip(run.trajectories, ordered, strict=True):
        said = _outcomes(spec, record)
        assert (row["spec"], row["trajectory_id"], row["outcome"]) == (spec, trajectory_id, said.outcome)
        assert row["score"] == (None if said.score is None else float(said.score))
        assert dict(row["slices"]) == {key: value for key, value in _slice_values(record).items() if key}
    assert run.samples == sorted(
        run.samples, key=lambda row: (row["sample_id"], row["spec"], row["slice_key"], row["slice_value"])
    )
    expected: dict[Any, list[str]] = {}
    for record in records:
        for key, value in _slice_values(record).items():
            for spec in (0, 1):
                expected.setdefault((f"s{record[0]}", spec, key, value), []).append(
                    _outcomes(spec, record).outcome
                )
    assert len(run.samples) == len(expected)
    for row in run.samples:
        outcomes = expected[row["sample_id"], row["spec"], row["slice_key"], row["slice_value"]]
        n, c = sum(each != "undecided" for each in outcomes), outcomes.count("passed")
        assert (row["trials"], row["decided"], row["passed"]) == (len(outcomes), n, c)
        assert row["pass_at_k"] == [float(scoring.pass_at(n, c, k)) for k in range(1, n + 1)]
        assert row["pass_hat_k"] == [float(scoring.pass_hat(n, c, k)) for k in range(1, n + 1)]


@settings(max_examples=100 if IS_THOROUGH else 5)
@given(records=RECORDS, most=st.sampled_from([1, 2, 3, 100]))
def test_tables_equal_the_twins(records: list[Any], most: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        run = _Run(pathlib.Path(directory), records, most)
    _assert_scores(run, records, most)
    _assert_cells(run, records, most)
    _assert_rows(run, records)
    kept = _kept(records, most)
    for key in ("model", "trial×model"):
        beyond = [v for r in records if (v := _slice_values(r)[key]) not in kept[key]]
        if not beyond:
            assert key not in run.ledger.capped
            continue
        capped = run.ledger.capped[key]
        assert (capped.kept, capped.merged, capped.is_exact) == (len(kept[key]), len(set(beyond)), True)
        assert capped.trajectories == len(beyond)


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        (("--slice", "modle"), "'model'"),
        (("--slice", "output"), "known: "),
        (("--slice", "model*agent*trial"), "two"),
        (("--slice", "model", "--max-slice-values", "0"), "--max-slice-values 0: expected 1"),
    ],
)
def test_what_is_no_slice_is_refused(
    work: pathlib.Path, gradebeam: Command, flags: tuple[str, ...], hint: str
) -> None:
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", *flags)
    assert done.code == 2
    assert hint in done.err
    assert not (work / "out").exists()


def test_a_run_tells_its_slices(work: pathlib.Path, gradebeam: Command) -> None:
    flags = ("--slice", "sample_id", "--slice", "tags.area", "--max-slice-values", "1")
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", *flags)
    assert done.code == 0
    assert "pass^k" in done.out, "samples have several trials"
    assert "undecided" in done.out
    told = json.loads((work / "out" / "manifest.json").read_text())
    assert told["slices"] == ["sample_id", "tags.area"]
    capped = {"kept": 1, "merged": 1, "is_exact": True, "trajectories": 3}
    assert told["capped_slices"] == {"sample_id": capped}
    assert "(other)" in (work / "out" / "report.md").read_text()
