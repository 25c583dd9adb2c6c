"""Verdicts to look at: from the verdict files of a run, a few of each check that did not pass.

Where a check has more of them than are wanted, those whose trajectory ids have the smallest
hashes are taken: the same ones from the same run, on any runner, and no part of it preferred.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline import files
from pipeline.outputs.commit import VERDICTS

_KEYS = ("spec_index", "outcome", "trajectory_id")


@dataclasses.dataclass(frozen=True, order=True)
class Example:
    """A verdict that did not pass.

    Attributes:
        hash: of its trajectory's id; examples are in its order.
        trajectory_id: which run.
        evidence: what was observed.
        event_index: the event that it rests on; -1 if none.
        code: why it abstains; empty for a fail.
        sample_id: which sample.
        trial: which repeat; -1 if none is recorded.
    """

    hash: int
    trajectory_id: str
    evidence: str
    event_index: int
    code: str
    sample_id: str
    trial: int


Examples = dict[tuple[int, str], list[Example]]
"""Examples by (spec index, outcome), outcome being `fail` or `abstain`."""


def find_examples(output: str, verdict_files: Sequence[str], most: Mapping[str, int]) -> Examples:
    """The examples of each check.

    Args:
        output: the directory of the run.
        verdict_files: the names of its verdict files.
        most: how many of each outcome a check has at most; others are left out.
    """
    found: Examples = {}
    for name in verdict_files:
        with files.open_read(files.join(output, VERDICTS, name)) as file:
            parquet = pq.ParquetFile(file)
            for group in range(parquet.num_row_groups):
                _add(found, parquet, group, most)
    return dict(sorted(found.items()))


def _add(found: Examples, file: pq.ParquetFile, group: int, most: Mapping[str, int]) -> None:
    keys = file.read_row_group(group, columns=list(_KEYS), use_threads=False)
    rows = pa.array(np.flatnonzero(pc.is_in(keys["outcome"], pa.array(list(most))).to_numpy()))
    if not len(rows):
        return
    wanted = keys.take(rows)
    hashes = hash_ids(wanted["trajectory_id"])
    outcomes = wanted["outcome"].combine_chunks().dictionary_encode()
    cells = wanted["spec_index"].to_numpy().astype(np.int64) * len(outcomes.dictionary)
    cells += outcomes.indices.to_numpy()
    chosen: list[tuple[tuple[int, str], Any]] = []
    for cell in np.unique(cells).tolist():
        spec_index, code = divmod(cell, len(outcomes.dictionary))
        key = (spec_index, outcomes.dictionary[code].as_py())
        at = _smallest(hashes, np.flatnonzero(cells == cell), most[key[1]], found.get(key, []))
        chosen += [(key, row) for row in at.tolist()]
    if not chosen:
        return
    whole = file.read_row_group(group, use_threads=False).take(
        rows.take(pa.array([row for _, row in chosen]))
    )
    for (key, row), verdict in zip(chosen, whole.to_pylist(), strict=True):
        found.setdefault(key, []).append(_example(int(hashes[row]), verdict))
    for key in {key for key, _ in chosen}:
        found[key] = sorted(found[key])[: most[key[1]]]


def _smallest(hashes: Any, at: Any, most: int, held: Sequence[Example]) -> Any:
    """Those positions that can be among the smallest, given the examples that are held."""
    if len(held) == most:
        at = at[hashes[at] <= held[-1].hash]
    if len(at) > most:
        limit = np.partition(hashes[at], most - 1)[most - 1]
        at = at[hashes[at] <= limit]
    return at


def _example(hash_: int, verdict: Mapping[str, Any]) -> Example:
    return Example(
        hash=hash_,
        trajectory_id=verdict["trajectory_id"],
        evidence=verdict["evidence"] or "",
        event_index=-1 if verdict["event_index"] is None else verdict["event_index"],
        code=verdict["code"] or "",
        sample_id=verdict["sample_id"],
        trial=-1 if verdict["trial"] is None else verdict["trial"],
    )


def hash_ids(ids: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """The hashes by which trajectories are chosen, one per id."""
    return np.fromiter((zlib.crc32(data) for data in _bytes(ids)), np.uint32, len(ids))


def _bytes(ids: pa.ChunkedArray) -> Iterator[bytes]:
    for chunk in ids.chunks:
        yield from chunk.cast(pa.binary()).to_pylist()
