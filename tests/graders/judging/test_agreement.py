"""Fleiss' kappa against its definition, pair by pair, and a published example."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from graders.judging.agreement import fleiss


@given(
    st.integers(2, 5).flatmap(
        lambda raters: st.lists(
            st.lists(st.booleans(), min_size=raters, max_size=raters), min_size=1, max_size=12
        )
    )
)
def test_as_defined(votes: list[list[bool]]) -> None:
    raters = len(votes[0])
    observed, kappa = fleiss([sum(row) for row in votes], raters)
    pairs = [a == b for row in votes for a, b in itertools.permutations(row, 2)]
    assert observed is not None
    assert math.isclose(observed, sum(pairs) / len(pairs))
    every = [vote for row in votes for vote in row]
    by_chance = sum(a == b for a, b in itertools.product(every, repeat=2)) / len(every) ** 2
    if by_chance == 1:
        assert kappa is None
    else:
        assert kappa is not None
        assert math.isclose(kappa, (observed - by_chance) / (1 - by_chance), abs_tol=1e-12)


def test_without_items_nothing_is_known() -> None:
    assert fleiss([], 3) == (None, None)


def test_complete_and_opposite_agreement() -> None:
    assert fleiss([3, 0, 3, 0], 3) == (1.0, 1.0)
    assert fleiss([1, 1], 2) == (0.0, -1.0)
