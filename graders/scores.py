"""Scores: what the checks of a spec say together of each trajectory.

The score is the weighted mean of the scores of the gating verdicts that decide; abstentions leave
the weights, and advisory checks have none. Weights are scaled to whole numbers where they are
decimal fractions of moderate size, so that their sums are exact; they are added in order of the
spec index, so that a score is the same in any batch. Graded scores such as 1/9 are rounded before
they are added; with these, a score that is nearer to the threshold than such rounding reaches it.
"""

from __future__ import annotations

import dataclasses
import enum
import fractions
import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from graders.arrays import Mask
from graders.batch import TrajectoryBatch
from graders.grading import settled_by
from graders.outcome import Outcome
from graders.scope import CheckEntry

_EXACT = 2**53
_ROUNDING = 1e-12
"""More than the sum of some thousand rounded scores is off, and less than scores are apart."""


class TrajectoryOutcome(enum.IntEnum):
    """What a spec says of one trajectory."""

    PASSED = 0
    FAILED = 1
    UNDECIDED = 2

    @property
    def label(self) -> str:
        """The text of the trajectory table."""
        return self.name.lower()


@dataclasses.dataclass(frozen=True)
class ScoreRule:
    """How the verdicts of a spec become one on the trajectory.

    Attributes:
        entries: the gating checks, in order of their spec index.
        weights: their weights.
        threshold: the score from which a trajectory passes, or None: every gating check passes.
    """

    entries: tuple[CheckEntry, ...]
    weights: tuple[float, ...]
    threshold: float | None

    @classmethod
    def of(cls, entries: Iterable[CheckEntry], threshold: float | None = None) -> ScoreRule:
        """The rule of a spec; advisory checks, and those without weight, do not gate."""
        gating = sorted(
            (entry for entry in entries if not entry.advisory and entry.weight > 0),
            key=lambda entry: entry.spec_index,
        )
        return cls(tuple(gating), _whole([entry.weight for entry in gating]), threshold)


def _whole(weights: Sequence[float]) -> tuple[float, ...]:
    """The weights times the least number that makes all of them whole, if their sum stays exact."""
    exact = [fractions.Fraction(repr(weight)) for weight in weights]
    scale = math.lcm(*(weight.denominator for weight in exact))
    whole = [weight * scale for weight in exact]
    return tuple(map(float, whole if sum(whole) < _EXACT else weights))


@dataclasses.dataclass(frozen=True, slots=True)
class TrajectoryScores:
    """What a spec says of n trajectories.

    Attributes:
        score: float64[n], NaN where no gating check decides.
        outcome: uint8[n] of `TrajectoryOutcome`.
        passed: int32[n], gating verdicts that pass.
        failed: int32[n], gating verdicts that fail.
        abstained: int32[n], gating verdicts that abstain.
    """

    score: npt.NDArray[np.float64]
    outcome: npt.NDArray[np.uint8]
    passed: npt.NDArray[np.int32]
    failed: npt.NDArray[np.int32]
    abstained: npt.NDArray[np.int32]


def score_trajectories(rule: ScoreRule, batch: TrajectoryBatch) -> TrajectoryScores:
    """Score each trajectory of a batch; verdicts that were made of it before are used again."""
    n = len(batch)
    counts = np.zeros((len(Outcome), n), np.int32)
    gained, decided, withheld = np.zeros((3, n))
    is_graded = np.zeros(n, np.bool_)
    for entry, weight in zip(rule.entries, rule.weights, strict=True):
        settled = settled_by(entry, batch)
        at = slice(None) if settled.rows is None else settled.rows
        for outcome in Outcome:
            counts[outcome, at] += settled.outcome == outcome
        is_abstained = settled.outcome == Outcome.ABSTAIN
        scores = settled.scores()
        gained[at] += weight * scores
        is_graded[at] |= (scores > 0) & (scores < 1)
        decided[at] += np.where(is_abstained, 0.0, weight)
        withheld[at] += np.where(is_abstained, weight, 0.0)
    score = np.divide(gained, decided, out=np.full(n, np.nan), where=decided > 0)
    passed, failed, abstained = counts
    bounds = np.stack([gained, gained + withheld])
    outcome = _outcomes(rule.threshold, counts, bounds, decided + withheld, is_graded)
    return TrajectoryScores(score, outcome, passed, failed, abstained)


def _outcomes(
    threshold: float | None,
    counts: npt.NDArray[np.int32],
    bounds: npt.NDArray[np.float64],
    whole: npt.NDArray[np.float64],
    is_graded: Mask,
) -> npt.NDArray[np.uint8]:
    """Passed and failed where abstentions cannot change it, undecided elsewhere and without verdicts."""
    passed, failed, abstained = counts
    if threshold is None:
        is_passed = (passed > 0) & (failed + abstained == 0)
        is_failed = failed > 0
    else:
        share = np.full((2, len(whole)), np.nan)  # Which is neither below a threshold nor above.
        np.divide(bounds, whole, out=share, where=whole > 0)
        share[is_graded & (np.abs(share - threshold) < _ROUNDING)] = threshold
        is_passed, is_failed = share[0] >= threshold, share[1] < threshold
    return np.select(
        [is_passed, is_failed],
        [np.uint8(TrajectoryOutcome.PASSED), np.uint8(TrajectoryOutcome.FAILED)],
        np.uint8(TrajectoryOutcome.UNDECIDED),
    )
