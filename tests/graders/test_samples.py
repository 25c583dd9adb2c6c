"""Histograms of samples are the same in any partition, and count what a plain loop counts."""

from __future__ import annotations

import collections
import functools
import zlib
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graders.samples import SampleGroups, SampleHistogram, cluster_moments
from graders.slices import SliceCodes

ROWS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=60)
"""(sample, slice value, outcome: passed, failed or undecided)."""

Row = tuple[int, int, int]


def _grouped(rows: list[Row]) -> tuple[list[str], SampleGroups, Any, Any]:
    values = sorted({str(value) for _, value, _ in rows})
    codes = np.array([values.index(str(value)) for _, value, _ in rows], np.int64)
    groups = SampleGroups.of(np.array([sample for sample, _, _ in rows]), SliceCodes(values, codes))
    outcome = np.array([kind for _, _, kind in rows])
    passed = groups.count(outcome == 0)
    return values, groups, passed + groups.count(outcome == 1), passed


def _histogram(rows: list[Row], most: int) -> SampleHistogram:
    values, groups, decided, passed = _grouped(rows)
    return SampleHistogram.of(values, groups, decided, passed, most)


def _told(histogram: SampleHistogram) -> dict[Any, Any]:
    return {value: rows.tolist() for value, rows in histogram.by_value()}


@given(rows=ROWS, most=st.integers(1, 7), shares=st.integers(1, 4))
def test_shares_of_samples_add_up(rows: list[Row], most: int, shares: int) -> None:
    parts: dict[int, list[Row]] = {}
    for row in rows:  # All trials of a sample are in one share.
        parts.setdefault(zlib.crc32(str(row[0]).encode()) % shares, []).append(row)
    histograms = [_histogram(part, most) for part in parts.values()]
    merged = functools.reduce(lambda one, other: one.merge(other, most), histograms)
    right = functools.reduce(lambda one, other: other.merge(one, most), histograms)
    assert _told(merged) == _told(right) == _told(_histogram(rows, most)) == _expected(rows, most)


def _expected(rows: list[Row], most: int) -> dict[Any, Any]:
    kept = sorted({str(value) for _, value, _ in rows})[:most]
    groups: dict[tuple[int, str], list[int]] = {}
    for sample, value, kind in rows:
        groups.setdefault((sample, str(value)), []).append(kind)
    found: dict[Any, Any] = {}
    for (_, value), kinds in groups.items():
        shape = (len(kinds), sum(kind < 2 for kind in kinds), kinds.count(0))
        found.setdefault(value if value in kept else None, collections.Counter())[shape] += 1
    return {value: sorted([*shape, count] for shape, count in some.items()) for value, some in found.items()}


@given(rows=ROWS, most=st.integers(1, 3))
def test_a_merge_shares_nothing_with_its_parts(rows: list[Row], most: int) -> None:
    one, other = _histogram(rows, most), _histogram(rows[:1], most)
    before = (_told(one), _told(other))
    merged = one.merge(other, most)
    merged.rows[:] = -1
    merged.values.append("more")
    assert (_told(one), _told(other)) == before


@given(rows=ROWS)
def test_moments_are_sums_over_samples(rows: list[Row]) -> None:
    values, groups, decided, passed = _grouped(rows)
    found = cluster_moments(groups, len(values), decided, passed)
    for number, value in enumerate(values):
        trials: dict[int, list[int]] = {}
        for sample, each, kind in rows:
            if str(each) == value and kind < 2:
                trials.setdefault(sample, []).append(int(kind == 0))
        counts = [(len(some), sum(some)) for some in trials.values()]
        assert found[number].tolist() == [
            len(counts),
            sum(n * n for n, _ in counts),
            sum(n * c for n, c in counts),
            sum(c * c for _, c in counts),
        ]
