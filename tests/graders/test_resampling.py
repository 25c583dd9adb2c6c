"""The bootstrap draws what a plain loop draws, from the records alone."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.resampling import (
    THRESHOLDS,
    count_replicates,
    draw_weights,
    hash_identities,
    percentile_interval,
)
from graders.statistics import standard_error

IDENTITIES = st.lists(
    st.tuples(st.text(max_size=3), st.text(max_size=2), st.none() | st.integers(0, 9)),
    min_size=1,
    max_size=12,
)


def _twin(identity: Any, replicate: int) -> int:
    """SplitMix64 and the inverse of the distribution function, in whole numbers."""
    text = repr(identity).encode("utf-8", "surrogatepass")
    start = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
    bits = (start + (replicate + 1) * 0x9E3779B97F4A7C15) % 2**64
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
    bits ^= bits >> 31
    return sum(int(bound) <= bits for bound in THRESHOLDS)


@given(identities=IDENTITIES, first=st.integers(0, 5))
def test_draws_equal_the_twins(identities: list[Any], first: int) -> None:
    found = draw_weights(hash_identities(identities), first, first + 3)
    expected = [[_twin(each, replicate) for replicate in range(first, first + 3)] for each in identities]
    assert found.tolist() == expected


@given(identities=IDENTITIES, data=st.data())
def test_any_parts_in_any_order_add_up(identities: list[Any], data: st.DataObject) -> None:
    n = len(identities)
    passed = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    order = np.array(data.draw(st.permutations(range(n))))
    cut = data.draw(st.integers(0, n))
    hashes = hash_identities(identities)
    whole = count_replicates(hashes, [passed, np.ones(n, np.bool_)], 105)
    parts = [
        count_replicates(hashes[some], [passed[some], np.ones(len(some), np.bool_)], 105)
        for some in (order[:cut], order[cut:])
    ]
    assert (parts[0] + parts[1]).tolist() == whole.tolist()
    assert whole[:, 101].tolist() == [
        sum(_twin(each, 101) for each, is_in in zip(identities, mask, strict=True) if is_in)
        for mask in (passed, [True] * n)
    ]


def test_thresholds_are_those_of_poisson() -> None:
    below = 0.0
    for k, bound in enumerate(THRESHOLDS.tolist()):
        below += math.exp(-1) / math.factorial(k)
        assert bound / 2**64 == pytest.approx(below, abs=1e-15)


def test_the_interval_is_as_wide_as_the_standard_error_says() -> None:
    hashes = hash_identities((f"t{at}", "s", 0) for at in range(2000))
    passed = np.arange(2000) % 4 == 0
    low, high = percentile_interval(*count_replicates(hashes, [passed, np.ones(2000, np.bool_)], 1000)) or (
        0,
        0,
    )
    assert low < 0.25 < high
    assert high - low == pytest.approx(2 * 1.96 * (standard_error(500, 2000) or 0), rel=0.1)


def test_no_trial_no_interval() -> None:
    assert percentile_interval(np.zeros(3, np.int64), np.zeros(3, np.int64)) is None
    assert percentile_interval(np.array([1, 0]), np.array([2, 0])) == (0.5, 0.5)
