"""Statistics of pairs, vectorised: two verdicts on each trajectory, from two runs or two checks.

Of n pairs that are decided on both sides, `kept` pass in both, `lost` pass in the base alone,
`gained` pass in the run alone, and the rest fail in both.
"""

from __future__ import annotations

import numpy as np

from graders.statistics import Counts, Rates, ratio, wilson_interval

LEAST_FOR_CHI_SQUARE = 25
"""From so many discordant pairs on McNemar's test takes the chi-square distribution."""


def mcnemar(lost: Counts, gained: Counts) -> Rates:
    """Two-sided p-value of McNemar's test that losses and gains are equally likely.

    Below 25 discordant pairs the exact binomial one: twice the smaller tail of B(lost + gained,
    1/2), at most 1. From there on chi-square with one degree of freedom and continuity correction
    (Edwards 1948), where a difference of 0 is not corrected below 0. 1 without discordant pairs.
    """
    from scipy.special import bdtr, chdtrc  # noqa: PLC0415  (most commands do not need scipy)

    discordant = lost + gained
    exact = np.minimum(1.0, 2.0 * bdtr(np.minimum(lost, gained), np.maximum(discordant, 1), 0.5))
    surplus = np.maximum(np.abs(lost - gained) - 1, 0).astype(np.float64)
    by_chi_square = chdtrc(1, surplus**2 / np.maximum(discordant, 1))
    p = np.where(discordant < LEAST_FOR_CHI_SQUARE, exact, by_chi_square)
    return np.where(discordant == 0, 1.0, p)


def paired_difference(kept: Counts, lost: Counts, gained: Counts, n: Counts) -> tuple[Rates, Rates, Rates]:
    """The pass rate of the run less that of the base, and its 95 % interval; NaN without pairs.

    The interval is the score one of Newcombe (1998), Statistics in Medicine 17, 2635-2650, method
    10: the Wilson intervals of both rates, joined by the correlation of the pairs with continuity
    correction. It stays within -1 and 1, and exists where no pair is discordant.
    """
    base, run = kept + lost, kept + gained
    p1, p2 = ratio(base, n), ratio(run, n)
    low1, high1 = wilson_interval(base, n)
    low2, high2 = wilson_interval(run, n)
    phi = _correlation(kept, lost, gained, n)
    difference = ratio(gained - lost, n)
    below, above = p2 - low2, high1 - p1
    low = difference - np.sqrt(np.maximum(below**2 - 2 * phi * below * above + above**2, 0))
    below, above = p1 - low1, high2 - p2
    high = difference + np.sqrt(np.maximum(below**2 - 2 * phi * below * above + above**2, 0))
    return difference, low, high


def _correlation(kept: Counts, lost: Counts, gained: Counts, n: Counts) -> Rates:
    """The phi coefficient of the pairs with Newcombe's correction; 0 where a margin is empty."""
    failed = n - kept - lost - gained
    # Floats: the product of four counts may be beyond 64 bits.
    surplus = kept.astype(np.float64) * failed - lost.astype(np.float64) * gained
    corrected = np.where(surplus > 0, np.maximum(surplus - n / 2, 0), surplus)
    margins = [
        np.sqrt(margin.astype(np.float64))
        for margin in (kept + lost, gained + failed, kept + gained, lost + failed)
    ]
    scale = margins[0] * margins[1] * margins[2] * margins[3]
    return np.divide(corrected, scale, out=np.zeros(len(n)), where=scale != 0)


def agreement(kept: Counts, lost: Counts, gained: Counts, n: Counts) -> tuple[Rates, Rates]:
    """The share of pairs with equal outcomes, and Cohen's kappa (1960).

    NaN without pairs; kappa also where chance alone agrees on all of them.
    """
    agreed = n - lost - gained
    observed = ratio(agreed, n)
    # With counts over n squared, so that only the last division rounds while they fit into 53 bits.
    base, run = (kept + lost).astype(np.float64), (kept + gained).astype(np.float64)
    by_chance = base * run + (n - base) * (n - run)
    all_pairs = n.astype(np.float64) ** 2
    excess = agreed.astype(np.float64) * n - by_chance
    kappa = np.divide(
        excess, all_pairs - by_chance, out=np.full(len(n), np.nan), where=all_pairs != by_chance
    )
    return observed, kappa
