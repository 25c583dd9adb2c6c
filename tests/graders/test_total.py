"""Every check is total: no record makes it raise, not even one whose texts are no UTF-8."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.batch import TrajectoryBatch
from graders.outcome import AbstainCode, Outcome
from pipeline.sources.records import ReadPlan, to_trajectories
from tests.columnar import Verdict, load_entries, verdicts_by_id
from tests.record_columns import Row, to_bytes_table
from tests.strategies.catalog import check_strategies
from tests.strategies.corpus import corpus
from tests.strategies.entries import LISTS, entry_lists
from tests.strategies.records import record_lists

STRATEGIES = check_strategies()
CHECKS = [
    {"type": name, "config": config, **wrapper}
    for name, strategy in STRATEGIES.items()
    for config in strategy.examples[:2]
    for wrapper in ({}, {"turn": -1, "negate": True})
    if "turn" not in wrapper or strategy.may_see_a_turn(config)
]
CODES = {code.name for code in AbstainCode} - {AbstainCode.CHECK_CRASHED.name}


def _spoil(value: Any) -> Any:
    """The value with bytes that are no UTF-8 where its texts have a NUL, and before all else."""
    if isinstance(value, bytes):
        return value.replace(b"\0", b"\xff\xed\xa0\xed\xc0\x80") + (
            b"\xe2\x82" if len(value) % 5 == 1 else b""
        )
    if isinstance(value, list):
        return [_spoil(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_spoil(item) for item in value)
    return {key: _spoil(item) for key, item in value.items()} if isinstance(value, dict) else value


def _spoiled(rows: list[Row]) -> pa.RecordBatch:
    table = to_bytes_table(rows)
    arrays = {
        name: table[name]
        if name in ("trajectory_id", "metrics")
        else pa.array(_spoil(table[name].to_pylist()), table[name].type)
        for name in table.column_names
    }
    (batch,) = pa.table(arrays).combine_chunks().to_batches()
    return batch


RAW = _spoiled(corpus())


def _verdicts(checks: list[dict[str, Any]], raw: pa.RecordBatch) -> list[dict[str, Verdict]]:
    entries = load_entries(checks)
    needs = frozenset().union(*(entry.needs for entry in entries))
    batches, bad = to_trajectories(raw, ReadPlan(needs))
    assert not bad
    return verdicts_by_id(entries, [TrajectoryBatch(batch) for batch in batches])


def _assert_total(checks: list[dict[str, Any]], raw: pa.RecordBatch, size: int) -> None:
    """All at once and in batches of a size, without a crash and with the same verdicts."""
    together = _verdicts(checks, raw)
    for check, by_id in zip(checks, together, strict=True):
        assert len(by_id) == len(raw) or "samples" in check or "tags" in check
        for verdict in by_id.values():
            assert verdict.code in CODES | {None}, (check, verdict.evidence)
            assert (verdict.code is None) == (verdict.outcome != Outcome.ABSTAIN.label)
            assert verdict.evidence
    parted = [_verdicts(checks, raw.slice(row, size)) for row in range(0, len(raw), size)]
    assert together == [
        {key: verdict for part in parts for key, verdict in part.items()}
        for parts in zip(*parted, strict=True)
    ]


def test_the_spoiled_corpus_is_no_utf8() -> None:
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        RAW.column("output").cast(pa.string())


def test_no_record_of_the_corpus_makes_a_check_raise() -> None:
    _assert_total(CHECKS, RAW, size=13)


@pytest.mark.parametrize("check_type", STRATEGIES)
@settings(max_examples=LISTS)
@given(data=st.data())
def test_no_record_makes_a_check_raise(check_type: str, data: st.DataObject) -> None:
    strategy = STRATEGIES[check_type]
    rows = data.draw(record_lists(**strategy.columns))
    size = data.draw(st.integers(1, len(rows)))
    _assert_total(data.draw(entry_lists(strategy)), _spoiled(rows), size)


@pytest.mark.parametrize("check_type", STRATEGIES)
@settings(max_examples=LISTS)
@given(data=st.data())
def test_no_parameters_make_a_check_raise(check_type: str, data: st.DataObject) -> None:
    config = data.draw(STRATEGIES[check_type].configs)
    (by_id,) = _verdicts([{"type": check_type, "config": config}], RAW)
    assert {verdict.code for verdict in by_id.values()} <= CODES | {None}, config
