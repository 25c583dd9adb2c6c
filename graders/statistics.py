"""Statistics of counts, vectorised: the formulas behind the columns of the tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Z_95 = 1.959963984540054
"""The two-sided 95 % quantile of the standard normal distribution."""

Counts = npt.NDArray[np.int64]
Rates = npt.NDArray[np.float64]


def ratio(numerator: Counts, denominator: Counts) -> Rates:
    """Elementwise quotient; NaN where the denominator is 0."""
    out = np.full(len(numerator), np.nan)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def wilson_interval(successes: Counts, trials: Counts) -> tuple[Rates, Rates]:
    """The 95 % score interval of a rate (Wilson 1927), without continuity correction.

    Exactly 0 below no successes and exactly 1 above no failures; NaN without trials.
    """
    n = np.where(trials == 0, np.nan, trials)
    p = successes / n
    z2 = Z_95**2
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 * np.sqrt(p * (1 - p) / n + z2 / (4 * n**2)) / (1 + z2 / n)
    low = np.where(successes == 0, np.where(trials == 0, np.nan, 0.0), centre - half)
    high = np.where(successes == trials, np.where(trials == 0, np.nan, 1.0), centre + half)
    return low, high
