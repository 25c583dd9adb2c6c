"""The summary table: its numbers, its rows for nothing, and its four formats."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.outcome import AbstainCode
from graders.scope import CheckEntry
from graders.tally import Tally
from pipeline.outputs.formats import to_records
from pipeline.outputs.summary import SUMMARY, summary_table
from tests.columnar import load_entries

COLUMNS = {
    "spec_index": pa.int32(),
    "check_type": pa.string(),
    "check_name": pa.string(),
    "slice_key": pa.string(),
    "slice_value": pa.string(),
    "total": pa.int64(),
    "passed": pa.int64(),
    "failed": pa.int64(),
    "abstained": pa.int64(),
    "abstain_reasons": pa.map_(pa.string(), pa.int64()),
    "pass_rate": pa.float64(),
    "coverage": pa.float64(),
    "wilson_low": pa.float64(),
    "wilson_high": pa.float64(),
    "pass_rate_worst": pa.float64(),
    "pass_rate_best": pa.float64(),
    "standard_error": pa.float64(),
    "standard_error_clustered": pa.float64(),
    "bootstrap_low": pa.float64(),
    "bootstrap_high": pa.float64(),
    "matched": pa.int64(),
    "actual": pa.int64(),
    "reference": pa.int64(),
    "precision": pa.float64(),
    "recall": pa.float64(),
    "f1": pa.float64(),
    "advisory": pa.bool_(),
    "never_seen_tools": pa.list_(pa.string()),
}
FORMATS = ["parquet", "csv", "avro", "json"]


def _entries(*names: str | None, tool: str = "save") -> list[CheckEntry]:
    named = ({} if name is None else {"name": name} for name in names)
    return load_entries([{"type": "hasToolCall", "config": {"tool": tool}, **name} for name in named])


def _tally(passed: int = 0, failed: int = 0, seen_tools: int = 1, **abstained: int) -> Tally:
    codes = tuple(abstained.get(code.name, 0) for code in AbstainCode)
    return Tally(passed, failed, codes, seen_tools)


def _table(*tallies: Tally, names: list[str | None] | None = None) -> pa.Table:
    entries = _entries(*(names or [None] * len(tallies)))
    return summary_table({(at, "hasToolCall", "", ""): tally for at, tally in enumerate(tallies)}, entries)


def test_the_schema_is_the_documented_one() -> None:
    assert _table(_tally(1)).schema == pa.schema(list(COLUMNS.items()))


def test_rates_name_what_they_count() -> None:
    (row,) = to_records(_table(_tally(3, 1, NO_EVIDENCE=4, CHECK_CRASHED=1, RUN_ERROR=1)))
    assert (row["total"], row["passed"], row["failed"], row["abstained"]) == (10, 3, 1, 6)
    assert row["abstain_reasons"] == {"CHECK_CRASHED": 1, "NO_EVIDENCE": 4, "RUN_ERROR": 1}
    assert list(row["abstain_reasons"]) == sorted(row["abstain_reasons"])
    assert (row["pass_rate"], row["coverage"]) == (0.75, 0.4)
    assert (row["pass_rate_worst"], row["pass_rate_best"]) == (0.3, 0.9)
    assert (row["slice_key"], row["slice_value"], row["advisory"]) == ("", "", False)


@pytest.mark.parametrize(
    ("passed", "failed", "low", "high"),
    [
        # Newcombe 1998, table I, method 3.
        (81, 182, 0.2553, 0.3662),
        (15, 133, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 28, 0.0061, 0.1718),
        (29, 0, 0.8830, 1.0),
    ],
)
def test_intervals_are_those_of_wilson(passed: int, failed: int, low: float, high: float) -> None:
    (row,) = to_records(_table(_tally(passed, failed)))
    assert row["wilson_low"] == pytest.approx(low, abs=5e-5)
    assert row["wilson_high"] == pytest.approx(high, abs=5e-5)
    assert (row["wilson_low"] == 0) == (passed == 0)
    assert (row["wilson_high"] == 1) == (failed == 0)


@given(passed=st.integers(0, 10**12), failed=st.integers(0, 10**12), abstained=st.integers(0, 10**12))
def test_numbers_hold_together(passed: int, failed: int, abstained: int) -> None:
    (row,) = to_records(_table(_tally(passed, failed, TIMEOUT=abstained)))
    assert row["total"] == passed + failed + abstained
    assert sum(row["abstain_reasons"].values()) == row["abstained"] == abstained
    rates = [
        row[name]
        for name in (
            "pass_rate",
            "coverage",
            "wilson_low",
            "wilson_high",
            "pass_rate_worst",
            "pass_rate_best",
        )
    ]
    assert all(rate is None or 0 <= rate <= 1 for rate in rates)
    if passed + failed:
        assert row["wilson_low"] <= row["pass_rate"] <= row["wilson_high"]
        assert row["pass_rate_worst"] <= row["pass_rate"] <= row["pass_rate_best"]


def test_matches_are_summed_before_they_are_divided() -> None:
    entries = load_entries(
        [
            *({"type": "trajectory-match", "config": {"calls": []}} for _ in range(3)),
            {"type": "hasToolCall", "config": {"tool": "a"}},
        ]
    )
    cells = {
        (0, "trajectory-match", "", ""): _tally(1)._replace(matched=3, actual=4, reference=8),
        (1, "trajectory-match", "", ""): _tally(1),
        (3, "hasToolCall", "", ""): _tally(1),
    }
    names = ("matched", "actual", "reference", "precision", "recall", "f1")
    rows = [tuple(row[name] for name in names) for row in to_records(summary_table(cells, entries))]
    nothing = (None, None, None)
    assert rows == [(3, 4, 8, 0.75, 0.375, 0.5), (0, 0, 0, *nothing), (0, 0, 0, *nothing), nothing * 2]


def test_a_check_without_verdicts_has_a_row() -> None:
    table = summary_table({}, _entries("a", "b"))
    for number, row in enumerate(to_records(table)):
        assert (row["spec_index"], row["total"], row["abstain_reasons"]) == (number, 0, {})
        assert {row[name] for name in COLUMNS if name.startswith(("pass_rate", "wilson", "coverage"))} == {
            None
        }
        assert row["never_seen_tools"] == ["save"]


def test_rows_are_in_order_of_the_spec() -> None:
    entries = _entries(*(f"check {at}" for at in range(12)))
    table = summary_table({(at, "hasToolCall", "", ""): _tally(at) for at in range(12)}, entries[::-1])
    assert table["spec_index"].to_pylist() == list(range(12))
    assert table["passed"].to_pylist() == list(range(12))


@pytest.mark.parametrize("format_", FORMATS)
def test_the_same_table_gives_the_same_bytes(format_: str) -> None:
    def encode() -> bytes:
        tallies = [_tally(at, 3, at % 2, NO_EVIDENCE=2, TIMEOUT=at) for at in range(40)]
        return SUMMARY.encode(_table(*tallies, names=[f"n{at}" for at in range(40)]), format_)

    assert encode() == encode()


def _read(data: bytes, format_: str) -> list[dict[str, Any]]:
    if format_ == "parquet":
        return to_records(pq.read_table(io.BytesIO(data)))
    if format_ == "avro":
        return list(fastavro.reader(io.BytesIO(data)))
    return json.loads(data)


@pytest.mark.parametrize("format_", ["parquet", "avro", "json"])
def test_formats_read_back_alike(format_: str) -> None:
    table = _table(
        _tally(2**53 + 1, 1, NO_EVIDENCE=2), _tally(1, 2), _tally(), names=["é 日本", None, "a\nb"]
    )
    assert _read(SUMMARY.encode(table, format_), format_) == to_records(table)


def test_json_is_json() -> None:
    text = SUMMARY.encode(_table(_tally(), _tally(1)), "json").decode()
    assert all(name not in text for name in ("NaN", "Infinity"))
    assert json.loads(text, parse_constant=pytest.fail)[0]["pass_rate"] is None


def _csv(table: pa.Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(SUMMARY.encode(table, "csv").decode(), newline="")))


def test_csv_holds_the_numbers_exactly() -> None:
    (row,) = _csv(_table(_tally(1, 2, NO_EVIDENCE=4)))
    assert list(row) == list(COLUMNS)
    assert float(row["pass_rate"]) == 1 / 3
    assert row["check_name"] == ""
    assert json.loads(row["abstain_reasons"]) == {"NO_EVIDENCE": 4}
    assert (row["advisory"], json.loads(row["never_seen_tools"])) == ("false", [])
    (empty,) = _csv(_table(_tally()))
    assert (empty["total"], empty["pass_rate"]) == ("0", "")


@pytest.mark.parametrize(
    "name",
    [
        "=cmd",
        '=HYPERLINK("http://x")',
        "+1",
        "-1",
        "@a",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "\u200b=1",
        "\ufeff@x",
        "\t +1",
    ],
)
def test_csv_cells_are_no_formulas(name: str) -> None:
    text = SUMMARY.encode(_table(_tally(1), names=[name]), "csv").decode()
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["check_name"] == f"'{name}"


@pytest.mark.parametrize("name", ["a=1", "'quoted'", 'say "x"', "a,b", "a\nb", "a\rb", "a\r\nb", "1", "é"])
def test_other_csv_cells_are_as_they_were(name: str) -> None:
    (row,) = _csv(_table(_tally(1), names=[name]))
    assert row["check_name"] == name


def test_numbers_in_csv_are_no_formulas() -> None:
    text = SUMMARY.encode(_table(_tally(0, 1)), "csv").decode()
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert all(math.isfinite(float(row[name])) for name in ("pass_rate", "wilson_low", "wilson_high"))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())
