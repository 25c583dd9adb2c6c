"""The events of a batch, flattened, and what follows from them, each worked out once.

Whatever is derived is kept under a key, so that the second check that needs it finds it. What is
kept holds arrays and never a batch: a reference cycle would hold Arrow buffers until the garbage
collector runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from graders import sequence
from graders.arrays import Mask, Positions, not_null, to_codes
from graders.trajectory import EventType

T = TypeVar("T")

ToolMatcher = Callable[[str], bool]
"""Decides on a tool name; hashable, so that equal matchers share their answer."""

_KIND_OF = {kind.label: int(kind) for kind in EventType}


class Derived:
    """Values worked out on first use."""

    def __init__(self) -> None:
        self._memo: dict[Hashable, object] = {}

    def memo(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value kept under `key`, computed if there is none yet."""
        try:
            return self._memo[key]  # type: ignore[return-value]  # the key names the type
        except KeyError:
            value = self._memo[key] = compute()
            return value


class Events(Derived):
    """The events of n trajectories, flattened to m, in record order.

    Attributes:
        offsets: int64[n + 1], where the events of each trajectory begin.
        row: int64[m], the trajectory of each event.
        kinds: uint8[m], the `EventType` of each event, 0 for an unknown type.
    """

    def __init__(self, column: pa.Array) -> None:
        super().__init__()
        lengths = pc.fill_null(column.value_lengths(), 0).to_numpy(zero_copy_only=False)
        self.offsets: Positions = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        self.row: Positions = np.repeat(np.arange(len(column)), lengths)
        # flatten() honours slices and null lists or structs, which .values and .field() do not.
        values = column.flatten()
        names = [field.name for field in values.type]
        children = values.flatten() if values.null_count else [values.field(name) for name in names]
        self._columns: dict[str, pa.Array] = dict(zip(names, children, strict=True))
        labels, codes = to_codes(self._columns["type"])
        table = np.array([_KIND_OF.get(label or "", 0) for label in labels] + [0], np.uint8)
        self.kinds: npt.NDArray[np.uint8] = table[codes]

    def __len__(self) -> int:
        return len(self.row)

    def column(self, name: str) -> pa.Array:
        """One field of the events, aligned with them.

        Raises:
            KeyError: no check said that it needs the field, so it was not read.
        """
        return self._columns[name]

    def has_column(self, name: str) -> bool:
        """Whether a field was read."""
        return name in self._columns

    def codes(self, name: str) -> tuple[list[str | None], npt.NDArray[np.int32]]:
        """The distinct texts of a field, and for each event the number of its text, or -1."""
        return self.memo(("codes", name), lambda: to_codes(self._columns[name]))

    def positions(self, kind: EventType) -> Positions:
        """Where the events of one type are, ascending."""
        return self.memo(("kind", kind), lambda: np.flatnonzero(self.kinds == kind))

    def turns(self) -> npt.NDArray[np.int64]:
        """The turn of each event, int64[m]."""
        return self.memo("turns", lambda: self._numbered(sequence.number_turns, "turn"))

    def steps(self) -> npt.NDArray[np.int64]:
        """The step of each event as its rank in the trajectory, int64[m]; -1 for none."""
        return self.memo("steps", lambda: self._numbered(sequence.number_steps, "step"))

    def _numbered(self, number: Callable[..., npt.NDArray[np.int64]], field: str) -> npt.NDArray[np.int64]:
        column = self._columns[field]
        recorded = pc.fill_null(column, 0).to_numpy(zero_copy_only=False).astype(np.int64)
        return number(self.kinds, self.row, self.offsets, recorded, not_null(column))

    def answers(self) -> Positions:
        """For each result the position of the call that it answers, int64[m]; -1 elsewhere."""
        return self.memo(
            "answers",
            lambda: sequence.pair_answers(
                self.kinds,
                self.row,
                _without_empty(self.codes("tool_call_id")),
                _without_empty(self.codes("tool_name")),
                self.steps(),
            ),
        )

    def answered_by(self) -> Positions:
        """For each call the position of the result that answers it, int64[m]; -1 elsewhere."""

        def invert() -> Positions:
            answers = self.answers()
            results = np.flatnonzero(answers >= 0)
            inverse = np.full(len(self), -1, np.int64)
            inverse[answers[results]] = results
            return inverse

        return self.memo("answered_by", invert)

    def result_names(self) -> npt.NDArray[np.int32]:
        """The code of tool_name per event, where a result without one has that of its call."""
        return self.memo("result_names", self._name_results)

    def _name_results(self) -> npt.NDArray[np.int32]:
        codes = _without_empty(self.codes("tool_name"))
        nameless = self.positions(EventType.TOOL_RESULT)
        nameless = nameless[codes[nameless] < 0]
        if len(nameless):
            answers = self.answers()[nameless]
            codes = codes.copy()
            codes[nameless] = np.where(answers >= 0, codes[answers], -1)
        return codes

    def accepts(self, matches: ToolMatcher) -> Mask:
        """Which of the distinct tool names `matches` accepts, with a false at the end for code -1."""

        def test_names() -> Mask:
            names, _ = self.codes("tool_name")
            accepted = np.zeros(len(names) + 1, np.bool_)
            # A dictionary may hold names of other batches: only those in use are tested.
            for code in self.memo("used_tools", self._used_tools).tolist():
                name = names[code] if code >= 0 else None
                accepted[code] = name is not None and matches(name)
            return accepted

        return self.memo(("accepts", matches), test_names)

    def has_tool(self, matches: ToolMatcher) -> bool:
        """Whether any call or result of the batch is of a tool that `matches` accepts."""
        return bool(self.accepts(matches)[self.memo("used_tools", self._used_tools)].any())

    def _used_tools(self) -> npt.NDArray[np.int32]:
        _, codes = self.codes("tool_name")
        is_use = (self.kinds == EventType.TOOL_CALL) | (self.kinds == EventType.TOOL_RESULT)
        return (np.flatnonzero(np.bincount(codes[is_use] + 1)) - 1).astype(np.int32)


def _without_empty(coded: tuple[list[str | None], npt.NDArray[np.int32]]) -> npt.NDArray[np.int32]:
    """The codes with -1 for the empty text, which names nothing."""
    values, codes = coded
    return np.where(codes == values.index(""), -1, codes).astype(np.int32) if "" in values else codes
