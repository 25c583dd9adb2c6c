"""Combinations of checks in three-valued logic."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny

from graders.arrays import Mask
from graders.batch import TrajectoryBatch
from graders.check import BaseCheck, Check, Determinism, ListedTool, Subject, Taxonomy
from graders.outcome import AbstainCode, Outcome
from graders.scope import settle
from graders.verdicts import Evidence, Verdicts


class Part(BaseModel):
    """One of the checks that are combined."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    check: SerializeAsAny[BaseCheck]
    negate: bool = False


class Combination(Check):
    """A check that follows from its parts; the rules on missing data and evidence hold for each of them.

    With p parts that pass, f that fail and a that abstain, it passes once p reaches what is needed,
    fails once p + a cannot reach it, and abstains in between with the code of the first abstention.
    """

    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.COMPLEX_STATIC)
    parts_key: ClassVar[str | None] = "checks"

    checks: list[Part] = Field(min_length=1, description="The parts: each a type, config and maybe negate.")

    @property
    def needed(self) -> int:
        """How many parts must pass."""
        raise NotImplementedError

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset().union(*(part.check.needs for part in self.checks))

    @property
    def reads_events(self) -> bool:  # noqa: D102
        return False  # Each part says for itself.

    @property
    def reads_output(self) -> bool:  # noqa: D102
        return False

    def subject_when(self, *, negate: bool) -> Subject:  # noqa: D102
        # Its parts have been held to the rule already; only its negation is a claim of its own.
        return Subject.ACTIVITY if negate and not _is_exempt(self) else Subject.NOTHING

    @property
    def allows_turn(self) -> bool:  # type: ignore[override]  # noqa: D102  (depends on the parts)
        return all(part.check.allows_turn for part in self.checks)

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102
        return sum(part.check.passes_on_absence != part.negate for part in self.checks) >= self.needed

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return [tool for part in self.checks for tool in part.check.listed_tools()]

    def warnings(self) -> Sequence[str]:  # noqa: D102
        return [
            f"checks[{number}]: {warning}"
            for number, part in enumerate(self.checks)
            for warning in part.check.warnings()
        ]

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        parts = [settle(part.check, batch, negate=part.negate) for part in self.checks]
        outcomes = np.stack([part.outcome for part in parts])
        passes = (outcomes == Outcome.PASS).sum(axis=0)
        abstains = (outcomes == Outcome.ABSTAIN).sum(axis=0)
        passed, failed = passes >= self.needed, passes + abstains < self.needed
        outcome = np.select([passed, failed], [Outcome.PASS, Outcome.FAIL], Outcome.ABSTAIN).astype(np.uint8)
        decisive = _first(outcomes == outcome)
        combined = _follow(parts, decisive, self.checks, outcome)
        finals = sum(_stays_a_fail(part).astype(np.int64) for part in parts)
        open_parts = sum((_could_pass(part) | _stays_a_fail(part)).astype(np.int64) for part in parts)
        return dataclasses.replace(
            combined,
            # Also where it abstains: a combination around it may ask.
            is_doubtful=(open_parts >= self.needed) & ~passed,
            # It stays a fail as they do, unless it would be one without them.
            is_final=failed & (passes + abstains + finals >= self.needed),
        )


def _is_exempt(check: BaseCheck) -> bool:
    """Whether a check, or every part of a combination, rests on nothing that was observed."""
    if isinstance(check, Combination):
        return all(_is_exempt(part.check) for part in check.checks)
    return check.subject is Subject.NOTHING


def _could_pass(part: Verdicts) -> Mask:
    """Where a part passes, or would have had bad arguments been as wanted.

    Of a negated part these are the doubtful ones that abstain for want of evidence.
    """
    is_pass = part.outcome == Outcome.PASS
    if part.is_doubtful is None:
        return is_pass
    is_open = (part.outcome == Outcome.FAIL) | (part.code == AbstainCode.NO_EVIDENCE)
    return is_pass | (part.is_doubtful & is_open)


def _stays_a_fail(part: Verdicts) -> Mask:
    """Where a part fails, negated or not."""
    is_failed = part.outcome == Outcome.FAIL
    return np.zeros_like(is_failed) if part.is_final is None else part.is_final & is_failed


def _first(masks: Any) -> np.ndarray:
    """The first part for which the mask holds, int64[n]; 0 where it holds for none."""
    return np.argmax(masks, axis=0)


def _follow(
    parts: Sequence[Verdicts], decisive: np.ndarray, checks: Sequence[Part], outcome: np.ndarray
) -> Verdicts:
    """Verdicts with the outcome, and code, evidence and event index of the decisive part."""
    n = len(outcome)
    code, index = np.zeros(n, np.uint8), np.full(n, -1, np.int32)
    codes, sentences = np.zeros(n, np.int32), [""]
    for number, (part, check) in enumerate(zip(parts, checks, strict=True)):
        here = decisive == number
        if not here.any():
            continue
        code[here], index[here] = part.code[here], part.event_index[here]
        used, numbers = np.unique(part.evidence.codes[here], return_inverse=True)
        codes[here] = numbers + len(sentences)
        label = f"part {number} ({check.check.type_name})"
        sentences += [f"{label}: {part.evidence.sentences[at]}" for at in used.tolist()]
    code = np.where(outcome == Outcome.ABSTAIN, code, np.uint8(0))
    return Verdicts(outcome, code, Evidence(codes, sentences), index)
