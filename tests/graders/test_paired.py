"""Statistics of pairs against a slow twin, and against published figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.paired import agreement, mcnemar, paired_difference
from tests.reference import paired as twin

_COUNTS = st.one_of(st.integers(0, 30), st.integers(0, 10**9))
TABLES = st.lists(st.tuples(_COUNTS, _COUNTS, _COUNTS, _COUNTS), min_size=1, max_size=8)
Table = tuple[int, int, int, int]


def _columns(tables: list[Table]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kept, lost and gained pairs, and all of them."""
    kept, lost, gained, failed = np.array(tables, np.int64).T
    return kept, lost, gained, kept + lost + gained + failed


@given(tables=TABLES)
def test_mcnemar(tables: list[Table]) -> None:
    _, lost, gained, _ = _columns(tables)
    expected = [float(twin.mcnemar(b, c)) for _, b, c, _ in tables]
    assert mcnemar(lost, gained).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(tables=TABLES)
def test_difference_and_interval(tables: list[Table]) -> None:
    columns = _columns(tables)
    for at, (difference, low, high) in enumerate(zip(*paired_difference(*columns), strict=True)):
        kept, lost, gained, n = (int(column[at]) for column in columns)
        if n == 0:
            assert np.isnan([difference, low, high]).all()
            continue
        expected = twin.newcombe(kept, lost, gained, n)
        assert difference == float(expected[0])  # to the last bit: gates compare it
        assert [low, high] == pytest.approx(expected[1:], abs=1e-9)
        assert low + 1e-9 >= -1
        assert low <= difference <= high
        assert high <= 1 + 1e-9


@given(tables=TABLES)
def test_agreement(tables: list[Table]) -> None:
    columns = _columns(tables)
    for at, (observed, kappa) in enumerate(zip(*agreement(*columns), strict=True)):
        expected = twin.agreement(*(int(column[at]) for column in columns))
        for found, exact in zip((observed, kappa), expected, strict=True):
            assert np.isnan(found) if exact is None else found == pytest.approx(float(exact), abs=1e-9)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Newcombe 1998, table III (36, 12, 2, 0), seen from the other side.
        ((36, 2, 12, 0), 0.0569, 0.3404),
        # Fagerland, Lydersen and Laake 2014, airway hyper-responsiveness before and after transplantation.
        ((1, 1, 7, 12), 0.026, 0.507),
    ],
)
def test_published_intervals(table: Table, low: float, high: float) -> None:
    _, found_low, found_high = paired_difference(*_columns([table]))
    assert found_low[0] == pytest.approx(low, abs=0.0005)
    assert found_high[0] == pytest.approx(high, abs=0.0005)


def test_the_exact_test_ends_at_25_discordant_pairs() -> None:
    lost, gained = np.array([0, 7, 8, 13, 0]), np.array([0, 17, 17, 12, 24])
    exact_at_24 = 0.06391465663909912
    by_chi_square = 0.10959858339911599  # 8² / 25 with one degree of freedom
    assert mcnemar(lost, gained).tolist() == pytest.approx([1, exact_at_24, by_chi_square, 1, 2.0**-23])
