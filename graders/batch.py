"""A batch of trajectories as columns: what a check sees.

The rows with all of their events, or with those of one turn; what follows from them is worked out
once, as in `events`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from graders import sequence
from graders.arrays import Mask, Positions, byte_lengths, not_null
from graders.events import Derived, Events, ToolMatcher
from graders.judging.bench import Bench
from graders.select import Selection
from graders.text import Text
from graders.trajectory import AGENT_ACTIVITY, EventType

_TURN_EVENTS = (EventType.TURN_START, EventType.TURN_END)

NO_TURN = np.iinfo(np.int64).min
"""The number of a turn that no event has."""


class TrajectoryBatch(Derived):
    """n trajectories, with all their events or, as a slice, with those of one turn.

    A slice shares the events of its batch: positions and event indexes stay those of the record.

    Attributes:
        record_batch: the columns.
        turn_numbers: int64[n], of a slice: the turn that each trajectory is cut to, or NO_TURN.
        bench: the judges and their replies, for checks that a model decides; None for no judges.
    """

    def __init__(self, record_batch: pa.RecordBatch, bench: Bench | None = None) -> None:
        """Wrap a batch of the schema that `trajectory.record_schema` gives."""
        super().__init__()
        self.record_batch = record_batch
        self.bench = bench
        self.turn_numbers: npt.NDArray[np.int64] | None = None
        self._kept: Mask | None = None
        self._events: Events | None = None

    def __len__(self) -> int:
        return self.record_batch.num_rows

    @property
    def events(self) -> Events:
        """All events of the records, whether or not this is a slice."""
        if self._events is None:
            self._events = Events(self.record_batch.column("events"))
        return self._events

    @property
    def is_slice(self) -> bool:
        """Whether only the events of one turn are in view."""
        return self._kept is not None

    def column(self, name: str) -> pa.Array:
        """One column of the records.

        Raises:
            KeyError: no check said that it needs the column, so it was not read.
        """
        return self.record_batch.column(name)

    def struct_field(self, name: str, field: str) -> pa.Array:
        """One field of a struct column; null where the struct is, which `.field` does not see to."""
        column = self.column(name)
        return column.flatten()[column.type.get_field_index(field)]

    def take(self, rows: Positions) -> TrajectoryBatch:
        """The batch of these rows only; event indexes stay those of the record."""
        return TrajectoryBatch(self.record_batch.take(pa.array(rows)), self.bench)

    def turn(self, number: int) -> TrajectoryBatch:
        """The slice of one turn; -1 is the last turn with agent activity."""

        def slice_events() -> TrajectoryBatch:
            part = TrajectoryBatch(self.record_batch, self.bench)
            part._events = self.events
            part.turn_numbers = self._resolve_turn(number)
            part._kept = self.events.turns() == part.turn_numbers[self.events.row]
            return part

        return self.memo(("turn", number), slice_events)

    def _resolve_turn(self, number: int) -> npt.NDArray[np.int64]:
        """The number of the turn in each trajectory, int64[n]; NO_TURN where none is active."""
        if number >= 0:
            return np.full(len(self), number, np.int64)
        events = self.events
        active = np.flatnonzero(np.isin(events.kinds, AGENT_ACTIVITY))
        last = np.full(len(self), NO_TURN, np.int64)
        np.maximum.at(last, events.row[active], events.turns()[active])
        return last

    def select(self, kind: EventType) -> Selection:
        """The events of one type that are in view."""

        def find() -> Positions:
            positions = self.events.positions(kind)
            return positions if self._kept is None else positions[self._kept[positions]]

        key = ("select", kind)
        return Selection(self, self.memo(key, find), key)

    def calls(self) -> Selection:
        """The tool_call events in view."""
        return self.select(EventType.TOOL_CALL)

    def results(self) -> Selection:
        """The tool_result events in view."""
        return self.select(EventType.TOOL_RESULT)

    def calls_of(self, matches: ToolMatcher) -> Selection:
        """The calls in view of tools whose name `matches` accepts."""

        def find() -> Positions:
            calls = self.calls().positions
            _, codes = self.events.codes("tool_name")
            return calls[self.events.accepts(matches)[codes[calls]]]

        key = ("calls_of", matches)
        return Selection(self, self.memo(key, find), key)

    def results_of(self, matches: ToolMatcher) -> Selection:
        """The results in view of tools whose name `matches` accepts."""

        def find() -> Positions:
            results = self.results().positions
            return results[self.events.accepts(matches)[self.events.result_names()[results]]]

        key = ("results_of", matches)
        return Selection(self, self.memo(key, find), key)

    def messages(self) -> Selection:
        """The assistant_message events in view."""
        return self.select(EventType.ASSISTANT_MESSAGE)

    def positions_in_view(self) -> Positions:
        """Where all events in view are, ascending."""
        return np.arange(len(self.events)) if self._kept is None else np.flatnonzero(self._kept)

    def count_steps(self) -> npt.NDArray[np.int64]:
        """How many steps each trajectory has in view, int64[n]."""
        count = np.zeros(len(self), np.int64)
        np.maximum.at(count, self.events.row, self.steps() + 1)
        return count

    def answers_to(self, calls: Positions) -> Positions:
        """For each of some calls the result in view that answers it; -1 for none."""
        results = self.events.answered_by()[calls]
        return results if self._kept is None else np.where(self._kept[results], results, -1)

    def steps(self) -> npt.NDArray[np.int64]:
        """The step of each event as its rank among those in view, int64[m]; -1 for none."""
        steps = self.events.steps()
        if self._kept is None:
            return steps
        kept = self._kept

        def rank_in_view() -> npt.NDArray[np.int64]:
            return sequence.rank_kept_steps(steps, kept, self.events.row)

        return self.memo("steps", rank_in_view)

    @property
    def output(self) -> Text:
        """The final output of each trajectory or slice; null where there is none."""
        return Text(self, self.memo("output", self._final_output), "output")

    def _final_output(self) -> pa.Array:
        recorded = self.column("output")
        if not self.is_slice and not recorded.null_count:
            return recorded
        messages, calls = self.messages(), self.calls()
        last_message, last_call = messages.last_position(), calls.last_position()
        is_output = last_message > last_call
        if not self.is_slice:
            is_output &= ~not_null(recorded)
        positions = pa.array(np.where(is_output, last_message, 0), mask=~is_output)
        derived = self.events.column("content").take(positions)
        return derived if self.is_slice else pc.coalesce(recorded, derived)

    def has_output(self) -> Mask:
        """Which trajectories have a final output that is not empty, bool[n]."""
        return self.memo("has_output", lambda: byte_lengths(self.output.array) > 0)

    def has_messages(self) -> Mask:
        """Which trajectories have an assistant_message in view, bool[n]."""
        return self.messages().any()

    def has_activity(self) -> Mask:
        """Which trajectories show agent activity in view, bool[n]."""
        return (
            self.memo("has_activity", lambda: self._with_kinds(AGENT_ACTIVITY, self._kept))
            if self.is_slice
            else self.ever_active()
        )

    def records_turns(self) -> Mask:
        """Which records have turn_start or turn_end events, in view or not, bool[n]."""
        return self.memo("records_turns", lambda: self._with_kinds(_TURN_EVENTS, None))

    def ever_active(self) -> Mask:
        """Which records show agent activity, in view or not, bool[n]."""
        # A derived output comes from a message, so only a recorded one adds anything.
        return self.memo(
            "ever_active",
            lambda: self._with_kinds(AGENT_ACTIVITY, None) | (byte_lengths(self.column("output")) > 0),
        )

    def _with_kinds(self, kinds: tuple[EventType, ...], kept: Mask | None) -> Mask:
        """Which records have an event of these types, among those in `kept` if it is given."""
        is_kind = np.isin(self.events.kinds, kinds)
        if kept is not None:
            is_kind &= kept
        found = np.zeros(len(self), np.bool_)
        found[self.events.row[is_kind]] = True
        return found

    def has_events(self) -> Mask:
        """Which records hold a list of events, be it empty, bool[n]."""
        return self.memo("has_events", lambda: not_null(self.column("events")))
