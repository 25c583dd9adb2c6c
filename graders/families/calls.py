"""The calls of a batch with their arguments and answers, as checks on calls ask for them."""

from __future__ import annotations

import dataclasses
import difflib
import functools

import numpy as np

from graders.arrays import Mask, Positions, to_texts
from graders.batch import TrajectoryBatch
from graders.check import ExactTool
from graders.select import Selection
from graders.values import INVALID, Json, parse_arguments, quote
from graders.verdicts import Evidence

CALL_NEEDS = frozenset(f"events.{name}" for name in ("tool_name", "tool_call_id", "step"))
"""What names of results and answers of calls are worked out from."""


@dataclasses.dataclass(frozen=True)
class Calls:
    """All calls in view, with what has been asked of them.

    Attributes:
        batch: where they are.
        selection: the calls.
    """

    batch: TrajectoryBatch
    selection: Selection

    @classmethod
    def of(cls, batch: TrajectoryBatch) -> Calls:
        """The calls of a batch."""
        return cls(batch, batch.calls())

    def arguments(self, among: Mask) -> list[Json]:
        """The parsed arguments of the calls in `among`, `INVALID` for bad ones, None for the others.

        What one check has parsed, the next need not.
        """
        parsed: list[Json] = self.batch.memo("call_arguments", lambda: [_UNREAD] * len(self.selection))
        missing = [at for at in np.flatnonzero(among).tolist() if parsed[at] is _UNREAD]
        if missing:
            column = self.batch.events.column("arguments")
            texts = to_texts(column.take(self.selection.positions[missing]))
            for at, text in zip(missing, texts, strict=True):
                parsed[at] = parse_arguments(text)
        return [value if wanted else None for value, wanted in zip(parsed, among.tolist(), strict=True)]

    def bad(self, among: Mask) -> Mask:
        """Which of the calls in `among` have bad arguments."""
        return np.fromiter(
            (value is INVALID for value in self.arguments(among)), np.bool_, len(self.selection)
        )

    def answers(self) -> Positions:
        """The position of the result in view that answers each call; -1 for none."""
        return self.batch.answers_to(self.selection.positions)


_UNREAD = object()

_MOST_NAMES = 1000
_LIKENESS = 0.75


def never_called(batch: TrajectoryBatch, tool: str) -> Evidence:
    """What to say of a tool that was not called, with the nearest name that was."""
    names, _ = batch.events.codes("tool_name")
    evidence = Evidence.constant(len(batch), f"{quote(tool)} was never called")
    if len(names) > _MOST_NAMES:
        return evidence
    near = sorted(
        ((likeness, name) for name in names if name is not None and (likeness := _likeness(tool, name))),
    )
    for _, name in near:  # The nearest comes last, and wins.
        called = batch.calls_of(ExactTool(name)).any()
        evidence = evidence.replace(called, f"{quote(tool)} was never called; the closest is {quote(name)}")
    return evidence


@functools.lru_cache(maxsize=65536)
def _likeness(tool: str, name: str) -> float:
    """How near a tool name is to another, 0 to 1; 0 where they are merely different."""
    if tool == name:
        return 0.0
    one, other = _bare(tool), _bare(name)
    if one == other:
        return 1.0
    if min(len(one), len(other)) > 3 and (one.endswith(other) or other.endswith(one)):
        return 0.9
    matcher = difflib.SequenceMatcher(None, one, other)
    is_near = matcher.real_quick_ratio() >= _LIKENESS and matcher.quick_ratio() >= _LIKENESS
    return likeness if is_near and (likeness := matcher.ratio()) >= _LIKENESS else 0.0


def _bare(name: str) -> str:
    """A name without case and separators, in which spellings of one tool differ."""
    return "".join(char for char in name.casefold() if char.isalnum())
