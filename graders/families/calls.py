"""The calls of a batch with their arguments and answers, as checks on calls ask for them."""

from __future__ import annotations

import dataclasses

import numpy as np

from graders.arrays import Mask, Positions, to_texts
from graders.batch import TrajectoryBatch
from graders.select import Selection
from graders.values import INVALID, Json, parse_arguments

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
