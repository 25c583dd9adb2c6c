"""Grading: the entries of a spec over a batch of trajectories."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graders import scope
from graders.arrays import Positions
from graders.batch import TrajectoryBatch
from graders.check import ListedTool
from graders.outcome import AbstainCode, Outcome
from graders.scope import CheckEntry
from graders.slice_counts import SliceCounts
from graders.slices import SliceCodes
from graders.tally import Tally, count_verdicts
from graders.values import cut
from graders.verdicts import Verdicts

_LOGGER = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class Graded:
    """What one entry says of a batch.

    Attributes:
        entry: the entry.
        rows: int64[k], the rows of the batch that it concerns; None for all.
        verdicts: one per such row.
        seen_tools: bit i is set when the batch has a call or result of the i-th listed tool.
    """

    entry: CheckEntry
    rows: Positions | None
    verdicts: Verdicts
    seen_tools: int

    def tally(self) -> Tally:
        """The counts of these verdicts."""
        return Tally.of(self.verdicts, self.seen_tools)

    def slice_counts(self, sliced: SliceCodes, most: int) -> SliceCounts:
        """The counts of these verdicts per slice value, as `Tally.from_counts` reads them.

        Args:
            sliced: the slice values of the batch.
            most: how many values are kept apart.
        """
        codes = sliced.codes if self.rows is None else sliced.codes[self.rows]
        counts = count_verdicts(self.verdicts, SliceCodes(sliced.values, codes))
        return SliceCounts.of(sliced.values, counts, most)


class Settled(NamedTuple):
    """The outcomes of one entry over a batch, without what they rest on.

    Attributes:
        rows: int64[k], the rows of the batch that it concerns; None for all.
        outcome: uint8[k] of `Outcome`.
        score: float64[k] where the check grades more finely than 1 for pass and 0 for fail.
    """

    rows: Positions | None
    outcome: npt.NDArray[np.uint8]
    score: npt.NDArray[np.float64] | None

    def scores(self) -> npt.NDArray[np.float64]:
        """The scores, float64[k], with 0 for abstentions."""
        if self.score is None:
            return (self.outcome == Outcome.PASS).astype(np.float64)
        return np.where(self.outcome == Outcome.ABSTAIN, 0.0, self.score)


def settled_by(entry: CheckEntry, batch: TrajectoryBatch) -> Settled:
    """The outcomes of an entry: those that `grade` has left in the batch, or else new ones."""
    return batch.memo(_settled_key(entry), lambda: _settled(next(grade([entry], batch))))


def _settled(graded: Graded) -> Settled:
    return Settled(graded.rows, graded.verdicts.outcome, graded.verdicts.score)


def _settled_key(entry: CheckEntry) -> Hashable:
    return "settled", entry.identity


def grade(entries: Iterable[CheckEntry], batch: TrajectoryBatch) -> Iterator[Graded]:
    """Grade a batch by each entry, in their order. Never raises.

    The outcomes stay in the memo of the batch for `settled_by`: some bytes a trajectory, while the
    verdicts with their evidence go.
    """
    for entry in entries:
        rows, part = concerned_part(entry, batch)
        graded = Graded(entry, rows, _grade_safely(entry, part), _seen_tools(entry, batch))
        batch.memo(_settled_key(entry), functools.partial(_settled, graded))
        yield graded


def concerned_part(entry: CheckEntry, batch: TrajectoryBatch) -> tuple[Positions | None, TrajectoryBatch]:
    """The rows that an entry concerns, None for all, and the batch of them."""
    rows = scope.concerned_rows(entry, batch)
    if rows is None or len(rows) == len(batch):
        return rows, batch
    return rows, batch.memo(("part", entry.samples, entry.tags), lambda: batch.take(rows))


def _grade_safely(entry: CheckEntry, batch: TrajectoryBatch) -> Verdicts:
    """The settled verdicts; a crash costs only the trajectories that cause it."""
    try:
        return scope.settle(entry.check, scope.view(entry, batch), negate=entry.negate)
    except Exception as error:  # the only broad one: a bug in a check must not end the run
        if len(batch) > 1:
            middle = len(batch) // 2
            halves = (np.arange(middle), np.arange(middle, len(batch)))
            return Verdicts.concatenate([_grade_safely(entry, batch.take(half)) for half in halves])
        if isinstance(error, TimeoutError):
            return Verdicts.abstain_all(1, AbstainCode.TIMEOUT, cut(str(error)))
        _LOGGER.exception("check %d (%s) crashed", entry.spec_index, entry.check_type)
        sentence = cut(f"the check crashed: {type(error).__name__}: {error}")
        return Verdicts.abstain_all(len(batch), AbstainCode.CHECK_CRASHED, sentence)


def _seen_tools(entry: CheckEntry, batch: TrajectoryBatch) -> int:
    seen = 0
    for bit, tool in enumerate(entry.check.listed_tools()):
        if _is_seen(tool, batch):
            seen |= 1 << bit
    return seen


def _is_seen(tool: ListedTool, batch: TrajectoryBatch) -> bool:
    try:
        return batch.memo(("has_tool", tool.matches), lambda: batch.events.has_tool(tool.matches))
    except TimeoutError:  # A pattern that ran into its limit: it is not known to match.
        return False
