"""The rules that hold for every check, each in one place (SEMANTICS sections 2 and 3).

Which trajectories a check concerns, which turn it sees, and what becomes of its verdicts: the
order of decision is RUN_ERROR, SETUP_INVALID, MISSING_DATA, the check, negation, NO_EVIDENCE.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import re
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.arrays import (
    Mask,
    Positions,
    byte_lengths,
    encode,
    not_null,
    per_value,
    to_codes,
    to_mask,
    to_texts,
)
from graders.batch import TrajectoryBatch
from graders.check import BaseCheck, Subject
from graders.outcome import AbstainCode, Outcome
from graders.trajectory import FINAL_OUTPUT
from graders.values import quote
from graders.verdicts import Evidence, Verdicts


@dataclasses.dataclass(frozen=True)
class CheckEntry:
    """One entry of a spec: a check and the wrapper keys around it.

    Attributes:
        spec_index: 0-based position among all entries of the run.
        name: unique name, or None.
        check: the check with its parameters.
        turn: the turn that it sees; -1 is the last one, None the whole trajectory.
        samples: globs of sample ids that it concerns; empty for all.
        tags: tags that a trajectory must carry, as (key, value) pairs.
        negate: whether PASS and FAIL are swapped.
        advisory: whether it is counted but never gates.
        weight: its share in a trajectory's score.
    """

    spec_index: int
    name: str | None
    check: BaseCheck
    turn: int | None = None
    samples: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    negate: bool = False
    advisory: bool = False
    weight: float = 1.0

    @property
    def check_type(self) -> str:
        """The type name of the check."""
        return self.check.type_name

    @functools.cached_property
    def identity(self) -> str:
        """A text that two entries have in common only if they are the same."""
        return repr(self)

    @property
    def needs(self) -> frozenset[str]:
        """What must be read to grade this entry, beyond `trajectory.COMMON_NEEDS`."""
        # The output of a slice comes from its messages, whatever the record's is.
        needs_slice_output = self.turn is not None and FINAL_OUTPUT in self.check.needs
        return (
            self.check.needs
            | (frozenset({"events.turn"}) if self.turn is not None else frozenset())
            | (frozenset({"events.content"}) if needs_slice_output else frozenset())
            | (frozenset({"tags"}) if self.tags else frozenset())
        )


def concerned_rows(entry: CheckEntry, batch: TrajectoryBatch) -> Positions | None:
    """The rows that the entry's selectors let through, ascending; None for all."""
    if not entry.samples and not entry.tags:
        return None
    return batch.memo(
        ("concerned", entry.samples, entry.tags),
        lambda: np.flatnonzero(_is_sample(entry.samples, batch) & _has_tags(dict(entry.tags), batch)),
    )


def _is_sample(globs: tuple[str, ...], batch: TrajectoryBatch) -> Mask:
    if not globs:
        return np.ones(len(batch), np.bool_)
    ids, codes = batch.memo("sample_ids", lambda: to_codes(batch.column("sample_id")))
    matches = _sample_matcher(globs)
    return per_value([sample is not None and matches(sample) for sample in ids], codes)


@functools.lru_cache(maxsize=4096)
def _sample_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    equal = frozenset(globs)
    patterns = [fnmatch.translate(glob) for glob in globs if set("*?[") & set(glob)]
    if not patterns:
        return equal.__contains__
    search = re.compile("|".join(patterns)).match
    return lambda sample: sample in equal or search(sample) is not None


def _has_tags(wanted: Mapping[str, str], batch: TrajectoryBatch) -> Mask:
    has_all = np.ones(len(batch), np.bool_)
    for key, value in wanted.items():
        found = pc.map_lookup(batch.column("tags"), pa.scalar(key), "last")
        has_all &= to_mask(pc.equal(found.view(pa.binary()), pa.scalar(encode(value), pa.binary())))
    return has_all


def view(entry: CheckEntry, batch: TrajectoryBatch) -> TrajectoryBatch:
    """What the entry's check sees of a batch: all of it or one turn."""
    return batch if entry.turn is None else batch.turn(entry.turn)


def settle(check: BaseCheck, batch: TrajectoryBatch, *, negate: bool) -> Verdicts:
    """The verdicts of a check on what it sees of some trajectories, after the order of decision.

    Args:
        check: the check.
        batch: what it sees, from `view`.
        negate: whether the wrapper swaps PASS and FAIL.
    """
    raw = check.verdicts(batch)
    settled = _withhold(_negate(raw) if negate else raw, check.subject_when(negate=negate), batch)
    is_setup = raw.code == AbstainCode.SETUP_INVALID
    settled = settled.abstain(
        _lacks_events(check, batch) & ~is_setup, AbstainCode.MISSING_DATA, "the record has no events"
    )
    never_ran = _never_ran(batch)
    return settled.abstain(never_ran, AbstainCode.RUN_ERROR, _error_sentences(batch, never_ran))


def is_decided_by_record(check: BaseCheck, batch: TrajectoryBatch) -> Mask:
    """Where `settle` abstains whatever the check says, unless it finds its setup invalid."""
    return _lacks_events(check, batch) | _never_ran(batch)


def _negate(verdicts: Verdicts) -> Verdicts:
    """Swap PASS and FAIL; what must not become a pass does not."""
    outcome = verdicts.outcome
    is_failed = outcome == Outcome.FAIL
    if verdicts.is_final is not None:
        is_failed &= ~verdicts.is_final
    swapped = np.where(outcome == Outcome.PASS, np.uint8(Outcome.FAIL), outcome)
    swapped = np.where(is_failed, np.uint8(Outcome.PASS), swapped)
    score = None if verdicts.score is None else 1.0 - verdicts.score
    negated = dataclasses.replace(verdicts, outcome=swapped, score=score)
    if verdicts.is_doubtful is None:
        return negated
    return negated.abstain(verdicts.is_doubtful & is_failed, AbstainCode.NO_EVIDENCE, verdicts.evidence)


def _withhold(verdicts: Verdicts, subject: Subject, seen: TrajectoryBatch) -> Verdicts:
    """Nothing observed is never a pass: such a pass becomes NO_EVIDENCE."""
    is_pass = verdicts.is_outcome(Outcome.PASS)
    if verdicts.is_unobserved is not None:
        verdicts = verdicts.abstain(
            is_pass & verdicts.is_unobserved, AbstainCode.NO_EVIDENCE, verdicts.evidence
        )
    if subject is Subject.NOTHING or not is_pass.any():
        return verdicts
    verdicts = verdicts.abstain(
        is_pass & ~seen.has_activity(), AbstainCode.NO_EVIDENCE, "no agent activity was recorded"
    )
    if subject is Subject.OUTPUT:
        return verdicts.abstain(is_pass & ~seen.has_output(), AbstainCode.NO_EVIDENCE, "there is no output")
    if subject is Subject.MESSAGES:
        return verdicts.abstain(
            is_pass & ~seen.has_messages(), AbstainCode.NO_EVIDENCE, "there is no assistant message"
        )
    return verdicts


def _lacks_events(check: BaseCheck, batch: TrajectoryBatch) -> Mask:
    """Where the events that the check reads, or its output or slice comes from, are null."""
    missing = ~batch.has_events()
    if batch.is_slice or check.reads_events or not missing.any():
        return missing
    if check.reads_output:
        return missing & ~not_null(batch.column("output"))
    return np.zeros(len(batch), np.bool_)


def _never_ran(batch: TrajectoryBatch) -> Mask:
    """Where the record carries an error and no agent activity, in whatever turn."""
    return batch.memo("never_ran", lambda: (byte_lengths(batch.column("error")) > 0) & ~batch.ever_active())


def _error_sentences(batch: TrajectoryBatch, mask: Mask) -> Evidence:
    sentences = ["the run never happened"]
    codes = np.zeros(len(batch), np.int32)
    for row in np.flatnonzero(mask).tolist():
        codes[row] = len(sentences)
        (error,) = to_texts(batch.column("error").slice(row, 1))
        sentences.append(f"the run never happened: {quote(error or '')}")
    return Evidence(codes, sentences)
