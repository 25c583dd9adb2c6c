"""Slices: the values by which the trajectories of a run are told apart in the tables.

A *slice key* is a scalar column of the record (`model`), a tag (`tags.area`) or a pair of these
(`model×tags.area`). Every trajectory has one *slice value* per key, a text:

- a number is its decimal text, and what is null or missing is `(none)`;
- values beyond the cap are together `(other)`;
- a recorded text that reads like one of these two gets another pair of parentheses, so that
  `((none))` is the text `(none)`;
- the value of a pair is both, joined by `×`; a backslash or `×` in a part is escaped by a backslash.
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.arrays import Positions, replace_surrogates, to_codes
from graders.batch import TrajectoryBatch

PAIR = "×"
"""Joins the two parts of a pair; `*` may be typed for it."""

NONE = "(none)"
OTHER = "(other)"

COLUMNS = ("trajectory_id", "sample_id", "trial", "model", "agent", "end_reason", "error")
"""The columns to slice by: those that hold a value, not a document."""

_TAG = "tags."
_LIKE_OURS = re.compile(r"\(+(none|other)\)+")


@dataclasses.dataclass(frozen=True)
class SliceKey:
    """What trajectories are told apart by.

    Attributes:
        parts: one or two of `COLUMNS` and `tags.<key>`.
    """

    parts: tuple[str, ...]

    @property
    def label(self) -> str:
        """The text in the column `slice_key`."""
        return PAIR.join(self.parts)

    @property
    def needs(self) -> frozenset[str]:
        """The columns of the record that it reads."""
        return frozenset("tags" if part.startswith(_TAG) else part for part in self.parts)


def unknown_parts(key: SliceKey) -> list[str]:
    """The parts that are neither a column to slice by nor a tag."""
    return [part for part in key.parts if part not in COLUMNS and not part.startswith(_TAG)]


def parse_slice_key(text: str) -> SliceKey:
    """The slice key of a text such as `model`, `tags.area` or `model×tags.area`.

    Raises:
        ValueError: it has more than two parts, an empty one, or the same twice.
    """
    parts = tuple(part.strip() for part in re.split(r"[×*]", text))
    if len(parts) > 2:
        raise ValueError("a slice has one part, or two joined by × or *")
    if any(part in ("", _TAG) for part in parts):
        raise ValueError("a part of the slice is empty")
    if len(set(parts)) < len(parts):
        raise ValueError("both parts are the same")
    return SliceKey(parts)


@dataclasses.dataclass(frozen=True, slots=True)
class SliceCodes:
    """The slice values of n trajectories.

    Attributes:
        values: the distinct ones, sorted.
        codes: int64[n], for each trajectory the number of its value.
    """

    values: list[str]
    codes: Positions


def slice_codes(key: SliceKey, batch: TrajectoryBatch) -> SliceCodes:
    """The slice value of each trajectory of a batch."""
    return batch.memo(("slice", key), lambda: _slice_codes(key, batch))


def _slice_codes(key: SliceKey, batch: TrajectoryBatch) -> SliceCodes:
    first = _part_codes(key.parts[0], batch)
    if len(key.parts) == 1:
        return first
    second = _part_codes(key.parts[1], batch)
    width = len(second.values)
    pairs, codes = np.unique(first.codes * width + second.codes, return_inverse=True)
    left, right = ([_escaped(value) for value in part.values] for part in (first, second))
    return _sorted([f"{left[pair // width]}{PAIR}{right[pair % width]}" for pair in pairs.tolist()], codes)


def _part_codes(part: str, batch: TrajectoryBatch) -> SliceCodes:
    texts, codes = to_codes(_column(part, batch))
    values = [NONE, *(NONE if text is None else _shown(text) for text in texts)]
    return _sorted(values, codes.astype(np.int64) + 1)


def _column(part: str, batch: TrajectoryBatch) -> pa.Array:
    if part.startswith(_TAG):
        return pc.map_lookup(batch.column("tags"), pa.scalar(part.removeprefix(_TAG)), "last")
    column = batch.column(part)
    return column.cast(pa.string()) if pa.types.is_integer(column.type) else column


def _sorted(values: list[str], codes: Positions) -> SliceCodes:
    """Values with repetitions and codes into them, sorted and without what no code names."""
    used = np.unique(codes)
    distinct = sorted({values[code] for code in used.tolist()})
    place = {value: at for at, value in enumerate(distinct)}
    table = np.zeros(len(values), np.int64)
    table[used] = [place[values[code]] for code in used.tolist()]
    return SliceCodes(distinct, table[codes])


def _shown(text: str) -> str:
    text = replace_surrogates(text)
    return f"({text})" if _LIKE_OURS.fullmatch(text) else text


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(PAIR, f"\\{PAIR}")
