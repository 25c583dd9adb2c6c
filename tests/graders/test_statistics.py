"""Formulas agree with what they say in fractions, and with published figures."""

from __future__ import annotations

import collections
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.statistics import MOST_K, Clusters, clustered_error, pass_rates, standard_error
from tests.reference import scoring

SAMPLES = st.lists(st.lists(st.integers(0, 1), max_size=7), max_size=12)


def _close(found: float | None, expected: Any) -> bool:
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-15)


def _sums(samples: list[list[int]]) -> Clusters:
    counts = [(len(each), sum(each)) for each in samples if each]
    return Clusters(
        len(counts),
        sum(n * n for n, _ in counts),
        sum(n * c for n, c in counts),
        sum(c * c for _, c in counts),
    )


@given(samples=SAMPLES)
def test_errors_equal_the_twins(samples: list[list[int]]) -> None:
    passed, decided = sum(map(sum, samples)), sum(map(len, samples))
    naive, clustered = scoring.naive_variance(passed, decided), scoring.clustered_variance(samples)
    assert _close(standard_error(passed, decided), None if naive is None else math.sqrt(naive))
    found = clustered_error(passed, decided, _sums(samples))
    assert _close(found, None if clustered is None else math.sqrt(clustered))


@given(samples=SAMPLES)
def test_pass_rates_equal_the_twins(samples: list[list[int]]) -> None:
    found = pass_rates(collections.Counter((len(each), sum(each)) for each in samples))
    row = scoring.score_row(
        [(str(at), "passed" if x else "failed") for at, each in enumerate(samples) for x in each]
    )
    assert found.samples == row["samples_at_k"]
    for name, rates in (("pass_at_k", found.at_least_one), ("pass_hat_k", found.all_of_them)):
        assert all(_close(rate, twin) for rate, twin in zip(rates, row[name], strict=True))


def test_a_sample_with_many_trials() -> None:
    found = pass_rates({(1000, 1): 1, (3, 3): 2})
    assert len(found.samples) == MOST_K
    assert found.samples[:4] == [3, 3, 3, 1]
    assert found.at_least_one[MOST_K - 1] == 0.1
    assert found.all_of_them[1] == 2 / 3


def test_published_figures() -> None:
    # Fifty tasks with four trials each, as counts of the tasks by passed trials.
    by_passed = {0: 14, 1: 12, 2: 8, 3: 8, 4: 8}
    assert sum(by_passed.values()) == 50
    rates = pass_rates({(4, c): count for c, count in by_passed.items()})
    assert rates.all_of_them[0] == rates.at_least_one[0] == 0.42
    assert rates.all_of_them[3] == 8 / 50
    assert rates.at_least_one[3] == 36 / 50
    assert standard_error(84, 200) == pytest.approx(0.034987, abs=5e-7)


@given(st.data())
def test_certainty_has_no_error(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 10**6))
    c = data.draw(st.sampled_from([0, n]))
    assert standard_error(c, n) == 0
    assert clustered_error(c, n, Clusters(2, n * n, n * c, c * c)) == 0
    assert np.isfinite(standard_error(1, n) or 0)
