"""How the votes of several judges become one decision."""

from __future__ import annotations

import enum
import statistics
from collections.abc import Sequence
from fractions import Fraction

from graders.outcome import Outcome

_HALF = Fraction(1, 2)


class Aggregation(enum.StrEnum):
    """How scores are combined."""

    MAJORITY = "majority"
    MEAN = "mean"
    MEDIAN = "median"
    MIN = "min"


def combine(
    scores: Sequence[Fraction | None], aggregation: Aggregation, threshold: Fraction
) -> tuple[Outcome, Fraction | None]:
    """Decide by the scores of all judges; a withheld one is None.

    A withheld vote leaves the bar where it is: the panel passes only if it would whatever that judge
    had said, fails only if it would whatever it had said, and abstains in between. `majority` passes
    when more than half of *all* judges pass, the other ones when the combined score reaches the
    threshold. Nothing but withheld votes decides nothing.

    Returns:
        The outcome, and the combined score of the votes that were given (for `majority` the share of
        them that pass); None where the panel abstains.
    """
    given = [score for score in scores if score is not None]
    missing = len(scores) - len(given)
    if aggregation is Aggregation.MAJORITY:
        given = [Fraction(score >= threshold) for score in given]
    worst = [*given, *[Fraction(0)] * missing]
    best = [*given, *[Fraction(1)] * missing]
    if given and _is_met(worst, aggregation, threshold):
        return Outcome.PASS, _combined(given, aggregation)
    if not _is_met(best, aggregation, threshold):
        return Outcome.FAIL, _combined(given, aggregation)
    return Outcome.ABSTAIN, None


def _is_met(scores: Sequence[Fraction], aggregation: Aggregation, threshold: Fraction) -> bool:
    combined = _combined(scores, aggregation)
    return combined > _HALF if aggregation is Aggregation.MAJORITY else combined >= threshold


def _combined(scores: Sequence[Fraction], aggregation: Aggregation) -> Fraction:
    if aggregation is Aggregation.MEDIAN:
        return statistics.median(scores)
    if aggregation is Aggregation.MIN:
        return min(scores)
    return sum(scores, Fraction(0)) / len(scores)
