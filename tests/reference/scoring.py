"""What the tables say of scores and samples, row by row and in fractions (SEMANTICS section 7)."""

from __future__ import annotations

import collections
import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Verdict = tuple[str, Fraction]
"""The outcome of a gating check on a trajectory, and its weight."""


class Scored(NamedTuple):
    """What a spec says of one trajectory."""

    score: Fraction | None
    outcome: str


def score(verdicts: Sequence[Verdict], threshold: Fraction | None) -> Scored:
    """The score of a trajectory and whether it passed."""
    weights: dict[str, Fraction] = collections.defaultdict(Fraction)
    for outcome, weight in verdicts:
        weights[outcome] += weight
    decided = weights["pass"] + weights["fail"]
    whole = decided + weights["abstain"]
    said = None if not decided else weights["pass"] / decided
    if not verdicts:
        return Scored(said, "undecided")
    if threshold is None:
        is_passed = all(outcome == "pass" for outcome, _ in verdicts)
        is_failed = any(outcome == "fail" for outcome, _ in verdicts)
    else:
        is_passed = weights["pass"] / whole >= threshold
        is_failed = (weights["pass"] + weights["abstain"]) / whole < threshold
    return Scored(said, "passed" if is_passed else "failed" if is_failed else "undecided")


def pass_at(n: int, c: int, k: int) -> Fraction:
    """The share of all choices of k of n trials that hold one of the c passed."""
    return Fraction(sum(1 for some in _choices(n, k) if min(some) < c), math.comb(n, k))


def pass_hat(n: int, c: int, k: int) -> Fraction:
    """The share of all choices of k of n trials that hold passed ones alone."""
    return Fraction(sum(1 for some in _choices(n, k) if max(some) < c), math.comb(n, k))


def _choices(n: int, k: int) -> Iterable[tuple[int, ...]]:
    return itertools.combinations(range(n), k)


def score_row(outcomes: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A row of the score table from (sample id, outcome) of each trajectory, in fractions."""
    counted = collections.Counter(outcome for _, outcome in outcomes)
    passed, failed = counted["passed"], counted["failed"]
    decided = passed + failed
    by_sample: dict[str, list[int]] = {sample: [] for sample, _ in outcomes}
    for sample, outcome in outcomes:
        if outcome != "undecided":
            by_sample[sample].append(int(outcome == "passed"))
    trials = list(by_sample.values())
    most = max(map(len, trials), default=0)
    with_k = [[each for each in trials if len(each) >= k] for k in range(1, most + 1)]
    return {
        "total": len(outcomes),
        "passed": passed,
        "failed": failed,
        "undecided": counted["undecided"],
        "samples": len(trials),
        "samples_at_k": list(map(len, with_k)),
        "pass_at_k": [_mean([pass_at(len(s), sum(s), k) for s in some]) for k, some in enumerate(with_k, 1)],
        "pass_hat_k": [
            _mean([pass_hat(len(s), sum(s), k) for s in some]) for k, some in enumerate(with_k, 1)
        ],
        "variance": naive_variance(passed, decided),
        "variance_clustered": clustered_variance(trials),
    }


def naive_variance(passed: int, decided: int) -> Fraction | None:
    """p(1 - p)/(n - 1)."""
    if decided < 2:
        return None
    p = Fraction(passed, decided)
    return p * (1 - p) / (decided - 1)


def clustered_variance(clusters: Sequence[Sequence[int]]) -> Fraction | None:
    """G/(G - 1) · Σ_g (Σ_i (x_i - p))² / n², over clusters with trials."""
    some = [each for each in clusters if each]
    n = sum(map(len, some))
    if len(some) < 2:
        return None
    p = Fraction(sum(map(sum, some)), n)
    squares = sum((sum(x - p for x in each) ** 2 for each in some), Fraction())
    return Fraction(len(some), len(some) - 1) * squares / n**2


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction()) / len(values)
