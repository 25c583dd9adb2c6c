"""Looking trajectories up by their ids, after a run: only the rows that are wanted are kept.

Parquet tells where an id is by its column of ids alone; then only the row groups that hold wanted
rows are read. Avro and JSON lines must be read from the beginning. A budget in bytes bounds both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.arrays import to_writable
from graders.trajectory import LEAVES
from pipeline import files
from pipeline.sources.conform import conform
from pipeline.sources.inputs import InputFile, WorkItem, find_inputs, read_pieces
from pipeline.sources.parquet import Footers, Projection, open_parquet
from pipeline.sources.records import ColumnMap, ReadPlan, to_trajectories
from pipeline.sources.views import without_views

_BATCH_BYTES = 16 * 1024 * 1024
_MOST_SCANNED_ROWS = 5_000_000


def find_parts(paths: Sequence[str], columns: ColumnMap) -> list[WorkItem]:
    """The work items of input files, in the order in which they are best read: see `in_order`.

    Raises:
        InvalidError: a file is gone, or cannot be read as trajectories.
    """
    return in_order(find_inputs(paths, columns)) if paths else []


def in_order(inputs: Sequence[InputFile]) -> list[WorkItem]:
    """The work items of input files by their hashes, so that the first ones are from anywhere."""
    items = [item for file in inputs for item in file.items]
    return sorted(items, key=lambda item: (item.hash, item.path, item.row_group))


def within(parts: Sequence[WorkItem], budget_bytes: int) -> list[WorkItem]:
    """The first parts that together stay within a budget; the first of all in any case."""
    sizes = np.cumsum([part.size_bytes for part in parts])
    return list(parts[: max(1, int(np.searchsorted(sizes, budget_bytes, "right")))])


def read_trajectories(
    parts: Sequence[WorkItem], columns: ColumnMap, ranks: Mapping[str, int], budget_bytes: int
) -> dict[str, pa.RecordBatch]:
    """The trajectories with these ids, each as a batch of one row with all columns of the record.

    Where the budget does not suffice for all, the parts that hold the ids of the lowest ranks are
    read. Of several trajectories with the same id the first that is found counts.

    Args:
        parts: where to look, from `find_parts`.
        columns: the columns of the files.
        ranks: the wanted ids as the verdict table has them, with their ranks.
        budget_bytes: how much may be read.
    """
    wanted = pa.array(list(ranks), pa.string())
    plan = ReadPlan(LEAVES, columns)
    footers = Footers()
    holding: list[tuple[int, WorkItem, pa.Array | None]] = []
    scanned = 0
    for part in parts:
        if part.format != "parquet":
            holding.append((0, part, None))
            continue
        scanned += part.rows
        if scanned > _MOST_SCANNED_ROWS:
            break
        ids = _ids(part, columns, footers)
        rows = np.flatnonzero(pc.is_in(ids, wanted).to_numpy(zero_copy_only=False))
        if len(rows):
            found = ids.take(pa.array(rows)).to_pylist()
            holding.append((min(ranks[id_] for id_ in found), part, pa.array(rows)))
    holding.sort(key=lambda entry: entry[0])
    result: dict[str, pa.RecordBatch] = {}
    chosen = within([part for _, part, _ in holding], budget_bytes) if holding else []
    for part, (_, _, rows) in zip(chosen, holding, strict=False):
        for batch in _until_damage(_batches(part, rows, plan, budget_bytes, footers)):
            ids = to_writable(batch.column("trajectory_id"))
            for row in np.flatnonzero(pc.is_in(ids, wanted).to_numpy(zero_copy_only=False)).tolist():
                result.setdefault(ids[row].as_py(), batch.slice(row, 1))
        if len(result) == len(ranks) and rows is None:
            break
    return result


def _ids(part: WorkItem, columns: ColumnMap, footers: Footers) -> pa.Array:
    """The ids in a row group; none where it is damaged: then its rows were not graded, either."""
    name = columns.physical("trajectory_id")
    try:
        with files.open_read(part.path) as file:
            parquet = open_parquet(file, footers.of(part.path, file))
            table = parquet.read_row_group(part.row_group, columns=[name], use_threads=False)
    except Exception:  # noqa: BLE001  (damage shows in as many ways as there are codecs)
        return pa.array([], pa.string())
    return to_writable(conform(table.column(0).combine_chunks(), pa.string()))


def _until_damage(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches up to where a file is damaged; the rows behind were not graded, either."""
    try:
        yield from batches
    except Exception:  # noqa: BLE001  (damage shows in as many ways as there are codecs)
        return


def _batches(
    part: WorkItem, rows: pa.Array | None, plan: ReadPlan, most_bytes: int, footers: Footers
) -> Iterator[pa.RecordBatch]:
    """The trajectories in the first bytes of a file, or those in some rows of a row group."""
    with files.open_read(part.path) as file:
        if rows is None:
            for piece in read_pieces(part, file, plan):
                yield from piece.trajectories()[0]
                if file.tell() > most_bytes:
                    return
            return
        parquet = open_parquet(file, footers.of(part.path, file))
        projection = Projection(parquet.metadata, part.row_group, plan)
        first = 0
        for raw in parquet.iter_batches(
            projection.rows_for(_BATCH_BYTES), [part.row_group], projection.leaves, use_threads=False
        ):
            here = pc.and_(pc.greater_equal(rows, first), pc.less(rows, first + raw.num_rows))
            at = pc.subtract(rows.filter(here), first)
            if len(at):
                yield from to_trajectories(without_views(raw).take(at), plan)[0]
            first += raw.num_rows
