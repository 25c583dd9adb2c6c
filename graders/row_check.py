"""RowCheck: a check written for one trajectory at a time, the simple way for plugins.

A batch is turned into Python values column by column, and only those columns that a check asks a
trajectory for.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from graders.arrays import to_python, to_texts
from graders.batch import TrajectoryBatch
from graders.check import BaseCheck
from graders.outcome import AbstainCode, Outcome
from graders.trajectory import EVENT_FIELDS, LEAVES
from graders.values import INVALID, Json, parse_arguments, parse_json
from graders.verdicts import Evidence, Verdicts


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One event of a trajectory; `index` is its 0-based place in the record.

    `turn` and `step` are those that the rules of reading give it, `tool_name` of a result that of
    its call where it has none of its own. Fields that the check does not read are None.
    """

    index: int
    type: str
    turn: int | None
    step: int | None
    content: str | None
    tool_name: str | None
    tool_call_id: str | None
    arguments: str | None
    is_error: bool | None
    name: str | None
    timestamp: datetime.datetime | None
    data: str | None

    def parsed_arguments(self) -> dict[str, Json] | None:
        """The arguments of a call as an object; None for bad ones."""
        value = parse_arguments(self.arguments)
        return None if value is INVALID else value


class Trajectory:
    """One trajectory, or the turn of it that the check sees; what is asked for is read then."""

    def __init__(self, rows: _Rows, row: int) -> None:
        self._rows = rows
        self._row = row

    @property
    def trajectory_id(self) -> str:
        """Its identity."""
        return self._rows.column("trajectory_id")[self._row]

    @property
    def sample_id(self) -> str:
        """The sample that was run."""
        return self._rows.column("sample_id")[self._row]

    @property
    def trial(self) -> int | None:
        """Which repeat of the sample it is."""
        return self._rows.column("trial")[self._row]

    @property
    def tags(self) -> Mapping[str, str]:
        """Its tags."""
        return dict(self._rows.column("tags")[self._row] or ())

    @property
    def output(self) -> str | None:
        """The final output in view; None where there is none."""
        return self._rows.output[self._row]

    @property
    def reference(self) -> Json:
        """The sample's reference data, parsed; None where there is none or it is not JSON."""
        return _parsed(self._rows.column("reference")[self._row])

    @property
    def metadata(self) -> Json:
        """The metadata, parsed; None where there is none or it is not JSON."""
        return _parsed(self._rows.column("metadata")[self._row])

    def column(self, name: str) -> Any:
        """Any other column of the record, such as `metrics`, `files` or `diff`."""
        return self._rows.column(name)[self._row]

    @property
    def events(self) -> Sequence[Event]:
        """The events in view, in record order."""
        return self._rows.events[self._row]

    def of_type(self, type_: str) -> list[Event]:
        """The events of one type."""
        return [event for event in self.events if event.type == type_]

    @property
    def calls(self) -> list[Event]:
        """The tool calls."""
        return self.of_type("tool_call")

    @property
    def results(self) -> list[Event]:
        """The tool results."""
        return self.of_type("tool_result")

    @property
    def messages(self) -> list[Event]:
        """The assistant messages."""
        return self.of_type("assistant_message")


@dataclasses.dataclass(frozen=True, slots=True)
class RowVerdict:
    """A verdict with more to it than its outcome.

    Attributes:
        outcome: pass, fail or abstain.
        evidence: a short sentence that says what was observed.
        code: of an abstention, why.
        event_index: the event that the evidence rests on.
        score: a grade finer than 1 and 0.
    """

    outcome: Outcome
    evidence: str = ""
    code: AbstainCode | None = None
    event_index: int | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.ABSTAIN) != (self.code is not None):
            raise ValueError("an abstention has a code, and nothing else has")


class RowCheck(BaseCheck):
    """A check that judges one trajectory at a time; a subclass is a check type.

    The author writes `grade`. `reads` may name fewer leaves of the record, which makes reading
    faster.
    """

    reads: ClassVar[frozenset[str]] = LEAVES

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in BaseCheck)
        return self.reads

    def grade(self, trajectory: Trajectory) -> Outcome | RowVerdict:
        """Judge one trajectory: an outcome, or a verdict that says more."""
        raise NotImplementedError

    def verdicts(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in BaseCheck)
        rows = _Rows(batch)
        return to_columns([_judged(self.grade(Trajectory(rows, row))) for row in range(len(batch))])


def _judged(answer: object) -> RowVerdict:
    if isinstance(answer, RowVerdict):
        return answer
    if not isinstance(answer, Outcome):
        raise TypeError(f"grade gave {answer!r}, not an Outcome or a RowVerdict")
    code = AbstainCode.NOT_APPLICABLE if answer is Outcome.ABSTAIN else None
    return RowVerdict(answer, f"the check says {answer.label}", code)


def to_columns(verdicts: Sequence[RowVerdict]) -> Verdicts:
    """One verdict per trajectory as columns."""
    has_scores = any(verdict.score is not None for verdict in verdicts)
    scores = [float(v.outcome is Outcome.PASS) if v.score is None else v.score for v in verdicts]
    indexes = [-1 if verdict.event_index is None else verdict.event_index for verdict in verdicts]
    return Verdicts(
        outcome=np.array([verdict.outcome for verdict in verdicts], np.uint8),
        code=np.array([verdict.code or 0 for verdict in verdicts], np.uint8),
        evidence=Evidence.each([verdict.evidence for verdict in verdicts]),
        event_index=np.array(indexes, np.int32),
        score=np.array(scores, np.float64) if has_scores else None,
    )


class _Rows:
    """The columns of a batch as Python values, each turned when it is first asked for."""

    def __init__(self, batch: TrajectoryBatch) -> None:
        self._batch = batch
        self._columns: dict[str, list[Any]] = {}

    def column(self, name: str) -> list[Any]:
        if name not in self._columns:
            self._columns[name] = to_python(self._batch.column(name))
        return self._columns[name]

    @functools.cached_property
    def output(self) -> list[str | None]:
        return self._batch.output.to_texts()

    @functools.cached_property
    def events(self) -> list[list[Event]]:
        batch = self._batch
        positions = batch.positions_in_view()
        events = batch.events
        starts = events.offsets[events.row[positions]]
        columns = [self._event_column(name, positions) for name in EVENT_FIELDS]
        rows: list[list[Event]] = [[] for _ in range(len(batch))]
        indexes = (positions - starts).tolist()
        for row, index, values in zip(
            events.row[positions].tolist(), indexes, zip(*columns, strict=True), strict=True
        ):
            rows[row].append(Event(index, *values))
        return rows

    def _event_column(self, name: str, positions: np.ndarray) -> list[Any]:
        events = self._batch.events
        if not events.has_column(name):
            return [None] * len(positions)
        if name == "turn":
            return events.turns()[positions].tolist()
        if name == "step":
            return [None if step < 0 else step for step in self._batch.steps()[positions].tolist()]
        if name == "tool_name" and events.has_column("tool_call_id") and events.has_column("step"):
            names, _ = events.codes("tool_name")
            return [None if c < 0 else names[c] for c in events.result_names()[positions].tolist()]
        array = events.column(name).take(positions)
        if name == "type":
            return [text or "" for text in to_texts(array)]
        return to_python(array)


def _parsed(text: str | None) -> Json:
    value = parse_json(text or "null")
    return None if value is INVALID else value
