"""Grading: the entries of a spec over a batch of trajectories."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Iterator

import numpy as np

from graders import scope
from graders.arrays import Positions
from graders.batch import TrajectoryBatch
from graders.check import ListedTool
from graders.outcome import AbstainCode
from graders.scope import CheckEntry
from graders.tally import Tally
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


def grade(entries: Iterable[CheckEntry], batch: TrajectoryBatch) -> Iterator[Graded]:
    """Grade a batch by each entry, in their order. Never raises."""
    for entry in entries:
        rows = scope.concerned_rows(entry, batch)
        part = batch if rows is None else _part(entry, batch, rows)
        yield Graded(entry, rows, _grade_safely(entry, part), _seen_tools(entry, batch))


def _part(entry: CheckEntry, batch: TrajectoryBatch, rows: Positions) -> TrajectoryBatch:
    if len(rows) == len(batch):
        return batch
    return batch.memo(("part", entry.samples, entry.tags), lambda: batch.take(rows))


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
