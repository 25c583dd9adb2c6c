"""Transitions: what became of the verdicts of one run in another one.

Verdicts are paired by sample and trial, or by trajectory where the trial is null, and by check.
Where several verdicts of one run have the same key, nothing tells which of them belongs to which
of the other run: these verdicts, of both runs, are *ambiguous*. They are counted, and paired with
none.

What a spec says of trajectories is paired like the verdicts of a check. Rows may have a slice value
of their trajectory: a pair is in the slice of the run, or of the base where the run lacks the
trajectory. Where several trajectories of that run have its key, it is in no slice.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from graders.outcome import Outcome
from graders.slice_counts import SliceCounts
from graders.slices import SliceCodes


class State(enum.IntEnum):
    """What one run says of a trajectory under a check: an outcome, or nothing at all."""

    PASS = Outcome.PASS
    FAIL = Outcome.FAIL
    ABSTAIN = Outcome.ABSTAIN
    ABSENT = 3

    @property
    def label(self) -> str:
        """The text in names of columns: `pass`, `fail`, `abstain` or `absent`."""
        return self.name.lower()


STATES = len(State)
_NO_TRIAL = -(2**40)  # None of 32 bits.
_NO_VALUE = -2

KEYED_SCHEMA = pa.schema(
    [
        ("trajectory_id", pa.string()),
        ("sample_id", pa.string()),
        ("trial", pa.int32()),
        ("check", pa.int32()),
        ("outcome", pa.int8()),
    ]
)
"""Verdicts that are to be paired; `check` numbers the checks alike in both runs."""


class Transitions(NamedTuple):
    """How often a state of the base became one of the run: a commutative monoid of integers.

    Attributes:
        counts: of each pair of states; that of (b, r) stands at 4 b + r.
        ambiguous_base: verdicts of the base whose key occurs more than once in either run.
        ambiguous_run: those of the run.
    """

    counts: tuple[int, ...] = (0,) * STATES**2
    ambiguous_base: int = 0
    ambiguous_run: int = 0

    @classmethod
    def from_counts(cls, numbers: Sequence[int]) -> Transitions:
        """The transitions of their counts, then the ambiguous verdicts of the base and of the run."""
        *counts, ambiguous_base, ambiguous_run = numbers
        return cls(tuple(counts), ambiguous_base, ambiguous_run)

    def merge(self, other: Transitions) -> Transitions:
        """The transitions of both; order and grouping make no difference."""
        return Transitions(
            tuple(map(sum, zip(self.counts, other.counts, strict=True))),
            self.ambiguous_base + other.ambiguous_base,
            self.ambiguous_run + other.ambiguous_run,
        )

    @property
    def base_total(self) -> int:
        """All verdicts of the base."""
        return sum(self.counts[: STATES * State.ABSENT]) + self.ambiguous_base

    @property
    def run_total(self) -> int:
        """All verdicts of the run."""
        absent = sum(self.counts[State.ABSENT :: STATES])
        return sum(self.counts) - absent + self.ambiguous_run


@dataclasses.dataclass(frozen=True, slots=True)
class Matched:
    """The keys of two tables of verdicts, and what each says of them.

    Attributes:
        check: int64[k], the check of each key.
        base_row: int64[k], its row in the base; -1 where there is none or the key is ambiguous.
        run_row: int64[k], its row in the run, likewise.
        base_state: int64[k], its `State` in the base; meaningless where the key is ambiguous.
        run_state: int64[k], its `State` in the run, likewise.
        is_ambiguous: bool[k], whether a run has several verdicts under the key.
        base_rows: int64[k], how many verdicts the base has under the key.
        run_rows: int64[k], how many the run has.
        trajectory: int64[k], the same for keys that differ in the check alone, from 0.
        base_key: int64[n], the key of each row of the base.
        run_key: int64[m], the key of each row of the run.
    """

    check: npt.NDArray[np.int64]
    base_row: npt.NDArray[np.int64]
    run_row: npt.NDArray[np.int64]
    base_state: npt.NDArray[np.int64]
    run_state: npt.NDArray[np.int64]
    is_ambiguous: npt.NDArray[np.bool_]
    base_rows: npt.NDArray[np.int64]
    run_rows: npt.NDArray[np.int64]
    trajectory: npt.NDArray[np.int64]
    base_key: npt.NDArray[np.int64]
    run_key: npt.NDArray[np.int64]

    def tallies(self) -> Iterator[tuple[int, Transitions]]:
        """The transitions of each check that occurs."""
        counts = self._counts(self.check, np.ones(len(self.check), np.bool_))
        for check in np.unique(self.check).tolist():
            yield check, Transitions.from_counts(counts[check].tolist())

    def slice_tallies(self, sliced: SliceCodes, most: int) -> Iterator[tuple[int, SliceCounts]]:
        """The transitions of each check that occurs, as counts by slice value.

        Args:
            sliced: the slice value of each key, or -1 for none, from `slice_values`.
            most: how many values are kept apart.
        """
        width = len(sliced.values)
        for check in np.unique(self.check).tolist():
            chosen = (self.check == check) & (sliced.codes >= 0)
            if chosen.any():
                counts = self._counts(sliced.codes, chosen)
                padded = np.zeros((width, counts.shape[1]), np.int64)
                padded[: len(counts)] = counts
                yield check, SliceCounts.of(sliced.values, padded, most)

    def _counts(self, group: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Of each group of chosen keys the numbers of `Transitions.from_counts`, a row each."""
        plain, doubtful = chosen & ~self.is_ambiguous, chosen & self.is_ambiguous
        n = int(group[chosen].max(initial=-1)) + 1
        transition = group * STATES**2 + self.base_state * STATES + self.run_state
        counts = np.bincount(transition[plain], minlength=n * STATES**2).reshape(n, STATES**2)
        ambiguous = [
            np.bincount(group[doubtful], rows[doubtful], minlength=n).astype(np.int64)
            for rows in (self.base_rows, self.run_rows)
        ]
        return np.column_stack([counts, *ambiguous])

    def slice_values(self, base: pa.ChunkedArray, run: pa.ChunkedArray) -> SliceCodes:
        """The slice value of each key, with code -1 for none.

        Args:
            base: string[n], in one row of each trajectory of the base its value, null in others.
            run: string[m], the same of the run.
        """
        coded = (
            pa.chunked_array([*base.chunks, *run.chunks], pa.string()).combine_chunks().dictionary_encode()
        )
        texts = coded.dictionary.to_pylist()
        values = sorted(texts)
        place = {value: at for at, value in enumerate(values)}
        ranks = np.array([*(place[text] for text in texts), -1], np.int64)
        codes = ranks[pc.fill_null(coded.indices, len(texts)).to_numpy()]
        of_base = self._own_values(codes[: len(base)], self.base_key)
        of_run = self._own_values(codes[len(base) :], self.run_key)
        chosen = np.where(of_run == _NO_VALUE, of_base, of_run)
        return SliceCodes(values, np.maximum(chosen, -1)[self.trajectory])

    def _own_values(
        self, codes: npt.NDArray[np.int64], key_of_row: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """The value of each trajectory in one run; -1 where several have its key, `_NO_VALUE` where none."""
        has_value = codes >= 0
        trajectory = self.trajectory[key_of_row[has_value]]
        n = int(self.trajectory.max(initial=-1)) + 1
        found = np.full(n, _NO_VALUE, np.int64)
        found[trajectory] = codes[has_value]
        return np.where(np.bincount(trajectory, minlength=n) > 1, -1, found)

    def changes(self, base: State, run: State) -> npt.NDArray[np.int64]:
        """The keys whose state `base` became `run`."""
        return np.flatnonzero((self.base_state == base) & (self.run_state == run) & ~self.is_ambiguous)


def match(base: pa.Table, run: pa.Table) -> Matched:
    """Pair the verdicts of two tables of `KEYED_SCHEMA`."""
    both = pa.concat_tables([base, run])
    codes, checks = _key_codes(both)
    keys, of_row = np.unique(codes, return_inverse=True)
    _, trajectory = np.unique(keys // checks, return_inverse=True)
    n = len(keys)
    check = np.zeros(n, np.int64)
    check[of_row] = both["check"].to_numpy()
    sides = [(base, of_row[: len(base)]), (run, of_row[len(base) :])]
    rows = [np.bincount(of, minlength=n) for _, of in sides]
    is_ambiguous = (rows[0] > 1) | (rows[1] > 1)
    (base_row, base_state), (run_row, run_state) = (_place(*side, is_ambiguous) for side in sides)
    return Matched(
        check=check,
        base_row=base_row,
        run_row=run_row,
        base_state=base_state,
        run_state=run_state,
        is_ambiguous=is_ambiguous,
        base_rows=rows[0],
        run_rows=rows[1],
        trajectory=trajectory,
        base_key=of_row[: len(base)],
        run_key=of_row[len(base) :],
    )


def _place(
    table: pa.Table, key_of_row: npt.NDArray[np.int64], is_ambiguous: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The row and the state of each key in one table."""
    row = np.full(len(is_ambiguous), -1, np.int64)
    row[key_of_row] = np.arange(len(table))
    state = np.full(len(is_ambiguous), State.ABSENT, np.int64)
    state[key_of_row] = table["outcome"].to_numpy()
    return np.where(is_ambiguous, -1, row), state


def _key_codes(verdicts: pa.Table) -> tuple[npt.NDArray[np.int64], int]:
    """A number for each row, equal for equal keys, and by what to divide it to leave out the check."""
    texts = pair_texts(verdicts).combine_chunks().dictionary_encode()
    text = texts.indices.to_numpy().astype(np.int64)
    trial = pc.fill_null(verdicts["trial"].cast(pa.int64()), _NO_TRIAL).to_numpy()
    _, trial = np.unique(trial, return_inverse=True)
    check = verdicts["check"].to_numpy().astype(np.int64)
    trials, checks = int(trial.max(initial=0)) + 1, int(check.max(initial=0)) + 1
    return (text * trials + trial) * checks + check, checks


def pair_texts(verdicts: pa.Table) -> pa.ChunkedArray:
    """The text by which each verdict is paired: its sample, or its trajectory where the trial is null."""
    sample = pc.coalesce(verdicts["sample_id"], verdicts["trajectory_id"])
    return pc.if_else(pc.is_valid(verdicts["trial"]), sample, verdicts["trajectory_id"])
