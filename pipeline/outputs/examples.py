"""Verdicts to look at: from the verdict files of a run, a few of each check that did not pass.

Where a check has more of them than are wanted, those whose trajectory ids have the smallest
hashes are taken: the same ones from the same run, on any runner.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graders.arrays import Positions
from pipeline import files

_KEYS = ("spec_index", "outcome", "trajectory_id")
_SHOWN = ("trajectory_id", "evidence", "event_index", "code", "sample_id", "trial")
_OTHERS = 2**32  # Above all hashes: added where another trajectory is preferred.


@dataclasses.dataclass(frozen=True, order=True)
class Example:
    """A verdict that did not pass.

    Attributes:
        rank: the hash of its trajectory's id; examples are in this order.
        trajectory_id: which run.
        evidence: what was observed.
        event_index: the event that it rests on; -1 if none.
        code: why it abstains; empty for a fail.
        sample_id: which sample.
        trial: which repeat; -1 if none is recorded.
    """

    rank: int
    trajectory_id: str
    evidence: str
    event_index: int
    code: str
    sample_id: str
    trial: int


Examples = dict[tuple[int, str], list[Example]]
"""Examples by (spec index, outcome), outcome being `fail` or `abstain`."""


def find_examples(
    directory: str,
    verdict_files: Sequence[str],
    most: Mapping[str, int],
    preferred: pa.Array | None = None,
) -> Examples:
    """The examples of each check.

    Args:
        directory: where the verdict files are.
        verdict_files: their names.
        most: how many of each outcome a check has at most; other outcomes are left out.
        preferred: ids of trajectories that come before all others.
    """
    found: Examples = {}
    for name in verdict_files:
        with files.open_read(files.join(directory, name)) as file:
            parquet = pq.ParquetFile(file)
            for group in range(parquet.num_row_groups):
                _add(found, parquet, group, most, preferred)
    return dict(sorted(found.items()))


def _add(
    found: Examples, file: pq.ParquetFile, group: int, most: Mapping[str, int], preferred: pa.Array | None
) -> None:
    keys = file.read_row_group(group, columns=list(_KEYS))
    rows = np.flatnonzero(pc.is_in(keys["outcome"], pa.array(list(most))).to_numpy())
    if not len(rows):
        return
    wanted = keys.take(pa.array(rows)).combine_chunks()
    ids = wanted["trajectory_id"].chunk(0)
    ranks = _ranks(ids, preferred)
    outcomes = wanted["outcome"].chunk(0).dictionary_encode()
    cells = wanted["spec_index"].to_numpy().astype(np.int64) * len(outcomes.dictionary)
    cells += outcomes.indices.to_numpy()
    chosen: list[tuple[tuple[int, str], int, int]] = []
    for cell in np.unique(cells).tolist():
        spec_index, code = divmod(cell, len(outcomes.dictionary))
        key = (spec_index, outcomes.dictionary[code].as_py())
        at = _smallest(ranks, np.flatnonzero(cells == cell), most[key[1]], found.get(key, []))
        chosen += [(key, row, rank) for row, rank in zip(at.tolist(), ranks[at].tolist(), strict=True)]
    if not chosen:
        return
    at = pa.array(rows[[row for _, row, _ in chosen]])
    verdicts = file.read_row_group(group, columns=list(_SHOWN)).take(at).to_pylist()
    for (key, _, rank), verdict in zip(chosen, verdicts, strict=True):
        found.setdefault(key, []).append(_example(rank, verdict))
    for key in {key for key, _, _ in chosen}:
        found[key] = sorted(found[key])[: most[key[1]]]


def _ranks(ids: pa.Array, preferred: pa.Array | None) -> Positions:
    """The rank of each trajectory, int64[n]: the hash of its id, preferred ones before all others."""
    coded = ids.dictionary_encode()  # The checks of a file are on the same trajectories.
    distinct = coded.dictionary
    hashes = np.array([zlib.crc32(id_) for id_ in distinct.cast(pa.binary()).to_pylist()], np.int64)
    if preferred is not None:
        hashes += np.where(pc.is_in(distinct, preferred).to_numpy(zero_copy_only=False), 0, _OTHERS)
    return hashes[coded.indices.to_numpy()]


def _smallest(ranks: Positions, at: Positions, most: int, held: Sequence[Example]) -> Positions:
    """Those positions whose ranks can be among the smallest, given the examples held."""
    if len(held) == most:
        at = at[ranks[at] <= held[-1].rank]
    if len(at) > most:
        at = at[ranks[at] <= np.partition(ranks[at], most - 1)[most - 1]]
    return at


def _example(rank: int, verdict: Mapping[str, Any]) -> Example:
    return Example(
        rank=rank,
        trajectory_id=verdict["trajectory_id"],
        evidence=verdict["evidence"] or "",
        event_index=-1 if verdict["event_index"] is None else verdict["event_index"],
        code=verdict["code"] or "",
        sample_id=verdict["sample_id"],
        trial=-1 if verdict["trial"] is None else verdict["trial"],
    )
