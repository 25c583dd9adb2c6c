"""Slice values: those of the record as texts, distinct for distinct values."""

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.batch import TrajectoryBatch
from graders.distinct import MOST, DistinctTexts
from graders.slice_counts import SliceCounts, count_by_value, sum_by_value
from graders.slices import NONE, SliceCodes, parse_slice_key, slice_codes, unknown_parts

TEXTS = st.one_of(
    st.none(),
    st.sampled_from(["(none)", "((none))", "(other)", "(", "×", "a×b", "\\", "a\\", "\\×b", ""]),
    st.text(max_size=3).filter(lambda text: text.isprintable()),
)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12)


def _batch(models: list[Any], areas: list[Any]) -> TrajectoryBatch:
    tags = [{"other": "x"} if area is None else {"area": area} for area in areas]
    columns = {
        "model": pa.array(models, pa.string()),
        "trial": pa.array([None if model is None else len(model) for model in models], pa.int32()),
        "tags": pa.array([list(each.items()) for each in tags], pa.map_(pa.string(), pa.string())),
    }
    return TrajectoryBatch(pa.record_batch(columns))


def _values(text: str, batch: TrajectoryBatch) -> list[str]:
    found = slice_codes(parse_slice_key(text), batch)
    assert found.values == sorted(set(found.values))
    assert set(found.codes.tolist()) == set(range(len(found.values)))
    return [found.values[code] for code in found.codes.tolist()]


@given(pairs=PAIRS)
def test_values_are_told_apart(pairs: list[tuple[Any, Any]]) -> None:
    batch = _batch(*map(list, zip(*pairs, strict=True)))
    for text, of_rows in (
        ("model", [model for model, _ in pairs]),
        ("tags.area", [area for _, area in pairs]),
        ("model×tags.area", pairs),
        ("tags.area*model", pairs),
    ):
        values = _values(text, batch)
        assert len(set(values)) == len(set(of_rows)) == len(set(zip(values, of_rows, strict=True)))
        assert "(other)" not in values


def test_plain_values_are_as_they_were() -> None:
    batch = _batch(["a", None, "b (c)"], ["x", "y", None])
    assert _values("model", batch) == ["a", NONE, "b (c)"]
    assert _values("trial", batch) == ["1", NONE, "5"]
    assert _values("model * tags.area", batch) == ["a×x", "(none)×y", "b (c)×(none)"]
    assert _values("tags.nowhere", batch) == [NONE] * 3


@pytest.mark.parametrize("text", ["", "model×", "model*model", "model*agent*trial", "tags."])
def test_what_is_no_slice_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"part"):
        parse_slice_key(text)


def test_unknown_parts_are_named() -> None:
    assert unknown_parts(parse_slice_key("modle*tags.modle")) == ["modle"]
    assert unknown_parts(parse_slice_key("output")) == ["output"]


ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), max_size=60)


def _counts(rows: list[tuple[int, int]], most: int) -> SliceCounts:
    values = sorted({str(value) for value, _ in rows})
    codes = np.array([values.index(str(value)) for value, _ in rows], np.int64)
    kinds = np.array([kind for _, kind in rows], np.int64)
    return SliceCounts.of(values, count_by_value(SliceCodes(values, codes), kinds, 3), most)


def _told(counts: SliceCounts) -> tuple[Any, ...]:
    return list(counts.values), counts.counts.tolist(), counts.rest.tolist()


@given(rows=ROWS, most=st.integers(1, 12), data=st.data())
def test_any_partition_in_any_order_gives_the_same_counts(
    rows: list[tuple[int, int]], most: int, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=5)))
    parts = [shuffled[low:high] for low, high in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    counted = [_counts(part, most) for part in parts]
    before = [_told(each) for each in counted]
    merged = functools.reduce(lambda one, other: one.merge(other, most), counted)
    right = functools.reduce(lambda one, other: other.merge(one, most), counted)
    assert [_told(each) for each in counted] == before
    assert _told(merged) == _told(right) == _told(_counts(rows, most))

    by_value: dict[str, list[int]] = {}
    for value, kind in rows:
        by_value.setdefault(str(value), [0] * 3)[kind] += 1
    kept = sorted(by_value)[:most]
    assert merged.values == kept
    assert merged.counts.tolist() == [by_value[value] for value in kept]
    rest = [sum(by_value[value][kind] for value in by_value if value not in kept) for kind in range(3)]
    assert merged.rest.tolist() == rest


@given(rows=ROWS, most=st.integers(1, 3))
def test_a_merge_shares_nothing_with_its_parts(rows: list[tuple[int, int]], most: int) -> None:
    one, other = _counts(rows, most), _counts(rows[::2], most)
    before = (_told(one), _told(other))
    merged = one.merge(other, most)
    merged.counts[:] = -1
    merged.rest[:] = -1
    assert (_told(one), _told(other)) == before


def test_sums_of_numbers() -> None:
    sliced = SliceCodes(["a", "b", "c"], np.array([0, 2, 0, 2, 2]))
    assert sum_by_value(sliced, np.array([1, 2, 3, 4, 5], np.int32)).tolist() == [4, 0, 11]


def test_distinct_texts_are_counted_in_any_parts() -> None:
    texts = [f"text {at % 5000}" for at in range(9000)]
    parts = [DistinctTexts.of(texts[low : low + 1000]) for low in range(0, 9000, 1000)]
    merged = functools.reduce(DistinctTexts.merge, parts)
    assert (merged.count, merged.is_exact) == (5000, True)
    assert merged.hashes.tolist() == functools.reduce(DistinctTexts.merge, parts[::-1]).hashes.tolist()


def test_many_distinct_texts_are_counted_about_right() -> None:
    n = 10 * MOST
    found = DistinctTexts.of(str(at) for at in range(n))
    assert not found.is_exact
    assert found.count == pytest.approx(n, rel=0.05)
    assert len(collections.Counter(found.hashes.tolist())) == MOST
