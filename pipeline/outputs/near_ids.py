"""Ids of a run that somebody may have meant: by one slip of the keys, or by a part of the id."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline import files
from pipeline.errors import nearest
from pipeline.outputs.finished import FinishedRun

_MOST_ROWS = 5_000_000
_MOST_COMPARED = 1000
_MOST_NAMED = 3
_LONGEST = 200  # Of longer ids the slip of a key is not looked for.


def near_ids(run: FinishedRun, wanted: str) -> str:
    """A hint such as ` (did you mean 'run-17'?)`, or one at ids that the run has.

    A row group at a time is in memory, and as many rows are read as take about a second.
    """
    parts: list[str] = []
    first: list[str] = []
    rows = 0
    for ids in _ids(run):
        if slips := _matching(ids, _slips(wanted)):
            return _hint(slips)
        parts += _matching(ids, f"(?i){re.escape(wanted)}") if len(parts) < _MOST_NAMED else []
        first += ids.slice(0, _MOST_COMPARED - len(first)).to_pylist()
        rows += len(ids)
        if rows > _MOST_ROWS:
            break
    if parts:
        return _hint(parts)
    return nearest(wanted, first) or (f"; it has such as {_listed(first)}" if first else "")


def _ids(run: FinishedRun) -> Iterator[pa.Array]:
    for path in run.trajectory_files:
        with files.open_read(path) as file:
            parquet = pq.ParquetFile(file)
            for group in range(parquet.num_row_groups):
                table = parquet.read_row_group(group, columns=["trajectory_id"])
                yield table["trajectory_id"].combine_chunks()


def _slips(wanted: str) -> str:
    """A pattern for what is one slip away: a character more, fewer or another, or two of them swapped."""
    if len(wanted) > _LONGEST:
        return f"^{re.escape(wanted)}$"
    parts = [(re.escape(wanted[:at]), wanted[at:]) for at in range(len(wanted))]
    forms = [f"{before}.?.?{re.escape(after[1:])}" for before, after in parts]
    forms += [f"{before}{re.escape(after[1::-1] + after[2:])}" for before, after in parts]
    return f"(?is)^(?:{'|'.join(forms) or '.'})$"


def _matching(ids: pa.Array, pattern: str) -> list[str]:
    """The first few distinct ids that a pattern matches."""
    found = ids.filter(pc.match_substring_regex(ids, pattern)).unique()
    return found.slice(0, _MOST_NAMED).to_pylist()


def _hint(ids: list[str]) -> str:
    return f" (did you mean {_listed(ids)}?)"


def _listed(ids: list[str]) -> str:
    return ", ".join(map(repr, ids[:_MOST_NAMED]))
