"""Statistics of counts: the formulas behind the columns of the tables.

Where a formula divides integers, it does so once and last, so that the result is rounded once and
depends on no order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Z_95 = 1.959963984540054
"""The two-sided 95 % quantile of the standard normal distribution."""

MOST_K = 100
"""pass@k and pass^k are told for k up to this."""

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


def standard_error(passed: int, decided: int) -> float | None:
    """The naive standard error √(p(1-p)/(n-1)) of a rate; None below two trials."""
    if decided < 2:
        return None
    return math.sqrt(passed * (decided - passed) / (decided * decided * (decided - 1)))


class Clusters(NamedTuple):
    """Sums over the clusters of some trials, each with n decided ones of which c passed.

    Attributes:
        clusters: how many have n ≥ 1.
        nn: the sum of n².
        nc: the sum of n·c.
        cc: the sum of c².
    """

    clusters: int
    nn: int
    nc: int
    cc: int


def clustered_error(passed: int, decided: int, sums: Clusters) -> float | None:
    """The standard error of a rate p, clustered: √(G/(G-1) · Σ_g(c_g - p·n_g)²) / n.

    Without a correction for small samples but the factor G/(G-1) (Cameron & Miller 2015, section
    VI.A). None below two clusters.
    """
    if sums.clusters < 2:
        return None
    # Σ(c - n·C/N)², times N² so that it is whole.
    squares = decided**2 * sums.cc - 2 * decided * passed * sums.nc + passed**2 * sums.nn
    return math.sqrt(sums.clusters * squares / ((sums.clusters - 1) * decided**4))


class PassRates(NamedTuple):
    """pass@k and pass^k for k = 1, 2, … up to the most decided trials, or `MOST_K`.

    Attributes:
        at_least_one: pass@k, the chance that of k trials at least one passes.
        all_of_them: pass^k, the chance that all k pass.
        samples: how many samples have k decided trials, so that they count.
    """

    at_least_one: list[float]
    all_of_them: list[float]
    samples: list[int]


def pass_rates(samples: Mapping[tuple[int, int], int]) -> PassRates:
    """pass@k and pass^k without bias, averaged over the samples that have k decided trials.

    Of one sample with c of n trials passed they are 1 - C(n-c,k)/C(n,k) (Chen et al. 2021) and
    C(c,k)/C(n,k) (Yao et al. 2024).

    Args:
        samples: how many samples have (n decided, c passed) trials.
    """
    most = min(max((n for n, _ in samples), default=0), MOST_K)
    at_least_one: list[list[float]] = [[] for _ in range(most)]
    all_of_them: list[list[float]] = [[] for _ in range(most)]
    counts = [0] * most
    for n, of_n in itertools.groupby(sorted(samples), key=lambda pair: pair[0]):
        k_most = min(n, most)
        fails, passes, total = [0] * k_most, [0] * k_most, 0
        for _, c in of_n:
            count = samples[n, c]
            total += count
            for k, (none, every) in enumerate(zip(_choose(n - c, k_most), _choose(c, k_most), strict=True)):
                fails[k] += count * none
                passes[k] += count * every
        for k, ways in enumerate(_choose(n, k_most)):
            counts[k] += total
            at_least_one[k].append((total * ways - fails[k]) / ways)
            all_of_them[k].append(passes[k] / ways)
    return PassRates(
        [math.fsum(sums) / count for sums, count in zip(at_least_one, counts, strict=True)],
        [math.fsum(sums) / count for sums, count in zip(all_of_them, counts, strict=True)],
        counts,
    )


def _choose(n: int, most: int) -> list[int]:
    """C(n, k) for k = 1 … most."""
    ways = itertools.accumulate(range(1, most + 1), lambda way, k: way * (n - k + 1) // k, initial=1)
    return list(ways)[1:]
