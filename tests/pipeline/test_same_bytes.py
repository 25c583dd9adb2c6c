"""The same tables, to the byte, whatever the workers, the batches and the files are."""

from __future__ import annotations

import json
import pathlib
import random
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from graders.slices import parse_slice_key
from pipeline.build import build
from pipeline.cli import main
from pipeline.outputs.accounts import check_accounts
from pipeline.outputs.examples import read_examples
from pipeline.outputs.ledger import read_ledger
from pipeline.outputs.samples import merge_samples
from pipeline.outputs.tables import encode_tables, make_tables
from pipeline.sources.inputs import find_inputs, known_rows
from pipeline.sources.records import ColumnMap
from pipeline.specs.load import load_spec
from tests.case_files import Case, all_cases
from tests.record_columns import Row
from tests.record_files import write_avro, write_parquet
from tests.same_outputs import FORMATS, LONG_TABLES, differences, shown_examples, sorted_rows

SLICES = ("tags.lang", "trial", "model*sample_id")
MOST = 7
REPLICATES = 130


def _some_cases() -> list[Case]:
    """Two cases of each type, without those whose verdict may depend on the machine."""
    by_type: dict[str, list[Case]] = {}
    for case in all_cases():
        if all(expected.code != "TIMEOUT" for expected in case.expectations):
            by_type.setdefault(case.check_type, []).append(case)
    return [case for cases in by_type.values() for case in cases[:2]]


CASES = _some_cases()


def _rows() -> list[Row]:
    """The records of the cases, some of them often, so that cells have counts."""
    rows = [row for case in CASES for row in case.rows() if case.is_in_events]
    return [
        {
            **row,
            "trajectory_id": f"{row['trajectory_id']} {at}",
            "sample_id": row.get("sample_id") or f"sample {number % 25}",
            "trial": at,
            "model": ["small", "large", None][number % 3],
            "tags": row.get("tags") or {"lang": ["de", "en"][number % 2]},
        }
        for at in range(3)
        for number, row in enumerate(rows[at::2])
    ]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The same rows in two orders: as one file, and shuffled over several of both formats."""
    work = tmp_path_factory.mktemp("same")
    rows = _rows()
    write_parquet(work / "ordered" / "a.parquet", rows, row_group_size=100)
    shuffled = random.Random(7).sample(rows, len(rows))
    third = len(rows) // 3
    write_parquet(work / "shuffled" / "z.parquet", shuffled[:third], row_group_size=40)
    write_avro(work / "shuffled" / "b.avro", shuffled[third : 2 * third])
    write_parquet(work / "shuffled" / "deep" / "c.parquet", shuffled[2 * third :], compression="zstd")
    checks = [{key: value for key, value in case.check.items() if key != "name"} for case in CASES]
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": checks}))
    return work


def _run(work: pathlib.Path, inputs: str, output: str, *flags: str) -> pathlib.Path:
    arguments = [
        "run",
        "--spec",
        str(work / "spec.yaml"),
        "--input",
        str(work / inputs),
        "--output",
        str(work / output),
        *(flag for key in SLICES for flag in ("--slice", key)),
        "--max-slice-values",
        str(MOST),
        "--bootstrap",
        str(REPLICATES),
    ]
    assert main([*arguments, *flags]) == 0
    return work / output


@pytest.fixture(scope="module")
def expected(work: pathlib.Path) -> pathlib.Path:
    """The outputs of one worker over the ordered file."""
    return _run(work, "ordered", "expected", "--workers", "1")


def test_two_worker_processes(
    work: pathlib.Path, expected: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert list(differences(_run(work, "ordered", "two", "--workers", "2"), expected)) == []
    said = capfd.readouterr().err
    assert [line for line in said.splitlines() if not line.startswith("graded ")] == []


def test_shuffled_files_of_both_formats(work: pathlib.Path, expected: pathlib.Path) -> None:
    assert list(differences(_run(work, "shuffled", "shuffled-out", "--workers", "1"), expected)) == []


@pytest.mark.parametrize("batch_bytes", [1, 2_000_000_000])
@pytest.mark.parametrize("inputs", ["ordered", "shuffled"])
def test_batches_of_any_size(
    work: pathlib.Path, expected: pathlib.Path, inputs: str, batch_bytes: int
) -> None:
    spec = load_spec(str(work / "spec.yaml"))
    files = find_inputs([str(work / inputs)], ColumnMap())
    staging = work / f"staging-{inputs}-{batch_bytes}"
    (staging / "verdicts").mkdir(parents=True)
    for table in ("trajectories", "samples"):
        (staging / table).mkdir()
    settings: dict[str, Any] = {"columns": ColumnMap(), "batch_bytes": batch_bytes}
    slices = tuple(parse_slice_key(text) for text in SLICES)
    pipeline = beam.Pipeline(runner=FnApiRunner())
    build(
        pipeline,
        specs=[spec],
        inputs=files,
        staging=str(staging),
        slices=slices,
        most_slice_values=MOST,
        bootstrap=REPLICATES,
        **settings,
    )
    pipeline.run().wait_until_finish()
    ledger = read_ledger(str(staging))
    assert check_accounts(ledger, spec.entries, known_rows(files)) == []
    assert shown_examples(ledger.examples) == shown_examples(read_examples(str(expected)))
    for name, data in encode_tables(make_tables(ledger, [spec]), FORMATS).items():
        assert data == (expected / name).read_bytes(), name
    samples = staging / "samples.parquet"
    merge_samples([str(path) for path in (staging / "samples").iterdir()], str(samples))
    assert samples.read_bytes() == (expected / "samples.parquet").read_bytes()
    for table in LONG_TABLES:
        assert sorted_rows(staging / table).equals(sorted_rows(expected / table)), table
