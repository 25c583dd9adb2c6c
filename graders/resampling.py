"""Resampling: a Poisson bootstrap whose draws depend on the records alone.

In each of B replicates a trajectory counts as often as a draw from Poisson(1) says. The draw
follows from a hash of the trajectory's identity (trajectory_id, sample_id and trial) and the
number of the replicate, by integers only: it is the same on any machine, in any batch and order.
"""

from __future__ import annotations

import decimal
import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from graders.arrays import Mask

Hashes = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]

_GOLDEN = 0x9E3779B97F4A7C15
_AT_ONCE = 100  # Replicates whose draws are held at a time: 0.8 MB for 1,000 trajectories.


def _thresholds() -> Hashes:
    """P(X ≤ k) · 2^64 of X from Poisson(1), rounded down, for k = 0, 1, … as long as P < 1 - 2^-64."""
    with decimal.localcontext(prec=60):  # Which, unlike the exponential of floats, is the same anywhere.
        below, term, found = decimal.Decimal(0), decimal.Decimal(-1).exp(), list[int]()
        while term * 2**64 >= 1:
            below += term
            term /= len(found) + 1
            found.append(int(below * 2**64))
    return np.array(found, np.uint64)


THRESHOLDS = _thresholds()


def hash_identities(identities: Iterable[tuple[object, ...]]) -> Hashes:
    """A hash of each identity, uint64[n]."""
    return np.frombuffer(
        b"".join(
            hashlib.blake2b(repr(identity).encode("utf-8", "surrogatepass"), digest_size=8).digest()
            for identity in identities
        ),
        "<u8",
    )


def draw_weights(hashes: Hashes, first: int, last: int) -> npt.NDArray[np.int64]:
    """How often each of n trajectories counts in the replicates from first to last - 1, int64[n, k]."""
    steps = np.arange(first + 1, last + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    return np.searchsorted(THRESHOLDS, _mix(hashes[:, None] + steps[None, :]), side="right")


def _mix(bits: Hashes) -> Hashes:
    """The output function of SplitMix64 (Steele, Lea & Flood 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def count_replicates(hashes: Hashes, masks: list[Mask], replicates: int) -> Counts:
    """How many trajectories each mask holds for in each replicate, int64[len(masks), replicates]."""
    rows = np.array(masks, np.float64).reshape(len(masks), len(hashes))
    counts = np.zeros((len(masks), replicates), np.int64)
    for first in range(0, replicates, _AT_ONCE):
        last = min(first + _AT_ONCE, replicates)
        # Products of whole numbers below 2^53, so that their sums are exact in any order.
        counts[:, first:last] = rows @ draw_weights(hashes, first, last).astype(np.float64)
    return counts


def percentile_interval(passed: Counts, decided: Counts) -> tuple[float, float] | None:
    """The 95 % percentile interval of a rate over its replicates; None where none has a trial."""
    rates = passed[decided > 0] / decided[decided > 0]
    if not len(rates):
        return None
    low, high = np.quantile(rates, [0.025, 0.975], method="inverted_cdf").tolist()
    return low, high
