"""A row-wise check that asks a function, and what it is asked about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from graders.outcome import Outcome
from graders.row_check import RowCheck, Trajectory
from graders.scope import CheckEntry
from tests.columnar import Verdict, to_batches, verdicts_by_id
from tests.record_columns import Row

Grade = Callable[[Trajectory], Any]


class Asks(RowCheck):
    """Answer what a function says of a trajectory."""

    type_name: ClassVar[str] = "asks"
    ask: Grade

    def grade(self, trajectory: Trajectory) -> Any:
        return self.ask(trajectory)


class AsksLittle(Asks):
    """The same, where only names of tools are read."""

    type_name: ClassVar[str] = "asks-little"
    reads: ClassVar[frozenset[str]] = frozenset({"events.tool_name"})


def verdicts_of(check: RowCheck, rows: list[Row], **wrapper: Any) -> list[Verdict]:
    entry = CheckEntry(0, None, check, **wrapper)
    (by_id,) = verdicts_by_id([entry], to_batches(rows, entry.needs))
    return [by_id[row["trajectory_id"]] for row in rows]


def seen_by(row: Row, ask: Grade, kind: type[Asks] = Asks, **wrapper: Any) -> Any:
    """What a check sees of one record; the record must be one that it is asked about."""
    found: list[Any] = []

    def grade(trajectory: Trajectory) -> Outcome:
        found.append(ask(trajectory))
        return Outcome.FAIL

    (verdict,) = verdicts_of(kind(ask=grade), [{"trajectory_id": "t", **row}], **wrapper)
    assert verdict.outcome == "fail", verdict
    return found[0]
