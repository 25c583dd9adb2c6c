"""Panels: what a withheld vote can and cannot change."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.judging.panel import Aggregation, combine
from graders.outcome import Outcome

SCORES = st.sampled_from([Fraction(n, 4) for n in range(5)] + [Fraction(n, 9) for n in range(10)])
THRESHOLDS = st.sampled_from([Fraction(n, 10) for n in range(11)])


@pytest.mark.parametrize("aggregation", Aggregation)
@given(votes=st.lists(st.none() | SCORES, min_size=1, max_size=6), threshold=THRESHOLDS, missing=SCORES)
def test_decided_whatever_the_missing_judges_had_said(
    aggregation: Aggregation, votes: list[Fraction | None], threshold: Fraction, missing: Fraction
) -> None:
    outcome, score = combine(votes, aggregation, threshold)
    assert (outcome is Outcome.ABSTAIN) == (score is None)
    if outcome is not Outcome.ABSTAIN:
        whole = [missing if vote is None else vote for vote in votes]
        assert combine(whole, aggregation, threshold)[0] is outcome


@pytest.mark.parametrize("aggregation", Aggregation)
@given(votes=st.lists(st.none() | SCORES, min_size=1, max_size=6), threshold=THRESHOLDS, data=st.data())
def test_order_of_judges_makes_no_difference(
    aggregation: Aggregation, votes: list[Fraction | None], threshold: Fraction, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(votes))
    assert combine(shuffled, aggregation, threshold) == combine(votes, aggregation, threshold)


@given(st.lists(SCORES, min_size=1, max_size=6), THRESHOLDS)
def test_complete_panels_always_decide(votes: list[Fraction], threshold: Fraction) -> None:
    for aggregation in Aggregation:
        assert combine(votes, aggregation, threshold)[0] is not Outcome.ABSTAIN


def test_mean_is_exact() -> None:
    tenths = [Fraction(1, 9), Fraction(8, 9)] * 3
    assert combine(tenths, Aggregation.MEAN, Fraction(1, 2)) == (Outcome.PASS, Fraction(1, 2))
