"""Verdicts: what one check says of every trajectory of a batch, as columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from graders.arrays import Mask
from graders.outcome import AbstainCode, Outcome


@dataclasses.dataclass(frozen=True, slots=True)
class Evidence:
    """One sentence per trajectory, kept as a number per trajectory into the distinct sentences.

    Attributes:
        codes: int32[n], positions in `sentences`.
        sentences: the distinct sentences, in no order.
    """

    codes: npt.NDArray[np.int32]
    sentences: Sequence[str]

    @classmethod
    def constant(cls, n: int, sentence: str) -> Evidence:
        """The same sentence for n trajectories."""
        return cls(np.zeros(n, np.int32), [sentence])

    @classmethod
    def either(cls, mask: Mask, if_true: str, if_false: str) -> Evidence:
        """One sentence where the mask holds, the other elsewhere."""
        return cls((~mask).astype(np.int32), [if_true, if_false])

    @classmethod
    def each(cls, sentences: Sequence[str]) -> Evidence:
        """One sentence of its own per trajectory."""
        return cls(np.arange(len(sentences), dtype=np.int32), sentences)

    @classmethod
    def of_counts(cls, counts: Sequence[npt.NDArray[np.int64]], sentence: Callable[..., str]) -> Evidence:
        """Sentences that depend on a few small numbers, each distinct combination written once."""
        key = np.zeros_like(counts[0])
        for count in counts:  # Counts are small, so a combination is one number.
            key = key * (int(count.max(initial=0)) + 1) + count
        _, firsts, codes = np.unique(key, return_index=True, return_inverse=True)
        combinations = np.stack([count[firsts] for count in counts], axis=1).tolist()
        return cls(codes.astype(np.int32), [sentence(*row) for row in combinations])

    def replace(self, mask: Mask, other: Evidence | str) -> Evidence:
        """Take the other evidence where the mask holds."""
        if not mask.any():
            return self
        if isinstance(other, str):
            other = Evidence.constant(len(self.codes), other)
        codes = np.where(mask, other.codes + np.int32(len(self.sentences)), self.codes)
        return Evidence(codes, [*self.sentences, *other.sentences])

    def take(self, rows: npt.NDArray[np.int64]) -> Evidence:
        """The evidence of these trajectories."""
        return Evidence(self.codes[rows], self.sentences)


@dataclasses.dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many calls matched, were made and were asked for; int32[n] each, of trajectory-match.

    All three are -1 where the verdict is an abstention: what was not judged has no counts.
    """

    matched: npt.NDArray[np.int32]
    actual: npt.NDArray[np.int32]
    reference: npt.NDArray[np.int32]

    def without(self, mask: Mask) -> MatchCounts:
        """No counts where the mask holds."""
        return MatchCounts(
            *(np.where(mask, np.int32(-1), count) for count in (self.matched, self.actual, self.reference))
        )

    def sums(self) -> tuple[int, int, int]:
        """The sums of matched, actual and reference over the verdicts that have counts."""
        has_counts = self.matched >= 0
        matched, actual, reference = (
            int(count[has_counts].sum(dtype=np.int64))
            for count in (self.matched, self.actual, self.reference)
        )
        return matched, actual, reference


@dataclasses.dataclass(frozen=True, slots=True)
class Verdicts:
    """What one check says of n trajectories.

    Attributes:
        outcome: uint8[n] of `Outcome`.
        code: uint8[n] of `AbstainCode`, 0 unless the outcome is ABSTAIN.
        evidence: what was observed, one sentence each.
        event_index: int32[n], the first event in the record that the evidence rests on, or -1.
        score: float64[n] where the check grades more finely than 1 for pass and 0 for fail.
        counts: those of trajectory-match, else None.
        is_doubtful: where a FAIL would be a PASS had bad arguments been as wanted.
        is_final: where a FAIL stays one under negation.
        is_unobserved: where what the check looks for could not have been there at all.
    """

    outcome: npt.NDArray[np.uint8]
    code: npt.NDArray[np.uint8]
    evidence: Evidence
    event_index: npt.NDArray[np.int32]
    score: npt.NDArray[np.float64] | None = None
    counts: MatchCounts | None = None
    is_doubtful: Mask | None = None
    is_final: Mask | None = None
    is_unobserved: Mask | None = None

    @classmethod
    def decide(
        cls,
        passed: Mask,
        evidence: Evidence,
        event_index: npt.NDArray[np.int32] | None = None,
        *,
        is_doubtful: Mask | None = None,
        is_final: Mask | None = None,
        is_unobserved: Mask | None = None,
    ) -> Verdicts:
        """PASS where the mask holds, FAIL elsewhere."""
        n = len(passed)
        return cls(
            outcome=np.where(passed, Outcome.PASS, Outcome.FAIL).astype(np.uint8),
            code=np.zeros(n, np.uint8),
            evidence=evidence,
            event_index=np.full(n, -1, np.int32) if event_index is None else event_index,
            is_doubtful=None if is_doubtful is None else is_doubtful & ~passed,
            is_final=is_final,
            is_unobserved=is_unobserved,
        )

    @classmethod
    def abstain_all(cls, n: int, code: AbstainCode, sentence: str) -> Verdicts:
        """The same abstention for n trajectories."""
        nothing = cls.decide(np.zeros(n, np.bool_), Evidence.constant(n, sentence))
        return nothing.abstain(np.ones(n, np.bool_), code, sentence)

    @classmethod
    def concatenate(cls, parts: Sequence[Verdicts]) -> Verdicts:
        """The verdicts of one check over consecutive batches, as those of one."""
        sentences: list[str] = []
        codes: list[npt.NDArray[np.int32]] = []
        for part in parts:
            codes.append(part.evidence.codes + np.int32(len(sentences)))
            sentences.extend(part.evidence.sentences)
        return cls(
            outcome=np.concatenate([part.outcome for part in parts]),
            code=np.concatenate([part.code for part in parts]),
            evidence=Evidence(np.concatenate(codes), sentences),
            event_index=np.concatenate([part.event_index for part in parts]),
            score=_concatenate_optional([(part.score, part) for part in parts], np.nan, np.float64),
            counts=_concatenate_counts(parts),
        )

    def __len__(self) -> int:
        return len(self.outcome)

    def abstain(self, mask: Mask, code: AbstainCode, evidence: Evidence | str) -> Verdicts:
        """ABSTAIN with this code where the mask holds, without an event index and match counts."""
        if not mask.any():
            return self
        return dataclasses.replace(
            self,
            outcome=np.where(mask, np.uint8(Outcome.ABSTAIN), self.outcome),
            code=np.where(mask, np.uint8(code), self.code),
            evidence=self.evidence.replace(mask, evidence),
            event_index=np.where(mask, np.int32(-1), self.event_index),
            counts=None if self.counts is None else self.counts.without(mask),
        )

    def is_outcome(self, outcome: Outcome) -> Mask:
        """Where the outcome is this one, bool[n]."""
        return self.outcome == outcome

    def scores(self) -> npt.NDArray[np.float64]:
        """1 for pass, 0 for fail, NaN for abstain, or the check's own grades, float64[n]."""
        is_abstained = self.is_outcome(Outcome.ABSTAIN)
        own = self.score if self.score is not None else self.is_outcome(Outcome.PASS).astype(np.float64)
        return np.where(is_abstained, np.nan, own)


def _concatenate_optional(
    arrays: Sequence[tuple[npt.NDArray[np.float64] | None, Verdicts]], fill: float, dtype: type
) -> npt.NDArray[np.float64] | None:
    if all(array is None for array, _ in arrays):
        return None
    return np.concatenate(
        [np.full(len(part), fill, dtype) if array is None else array for array, part in arrays]
    )


def _concatenate_counts(parts: Sequence[Verdicts]) -> MatchCounts | None:
    counts = [part.counts for part in parts]
    if all(count is None for count in counts):
        return None
    filled = [
        count or MatchCounts(*(np.full(len(part), -1, np.int32) for _ in range(3)))
        for count, part in zip(counts, parts, strict=True)
    ]
    return MatchCounts(
        *(
            np.concatenate([getattr(count, field.name) for count in filled])
            for field in dataclasses.fields(MatchCounts)
        )
    )
