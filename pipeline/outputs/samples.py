"""The sample table: its schema, its rows, and how parts of it become one sorted file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graders.statistics import pass_rates
from pipeline import files
from pipeline.outputs.formats import ROW_GROUP_ROWS

SAMPLE_SCHEMA = pa.schema(
    [
        ("sample_id", pa.string()),
        ("spec", pa.int32()),
        ("slice_key", pa.string()),
        ("slice_value", pa.string()),
        ("trials", pa.int64()),
        ("decided", pa.int64()),
        ("passed", pa.int64()),
        ("pass_at_k", pa.list_(pa.float64())),
        ("pass_hat_k", pa.list_(pa.float64())),
    ]
)

_BATCH_ROWS = 20_000


def pass_rate_lists(
    decided: npt.NDArray[np.int64], passed: npt.NDArray[np.int64]
) -> tuple[pa.Array, pa.Array]:
    """pass@k and pass^k of each sample, as lists over k; each distinct pair of counts worked out once."""
    pairs, at = np.unique(decided * (int(decided.max(initial=0)) + 1) + passed, return_inverse=True)
    firsts = np.zeros(len(pairs), np.int64)
    firsts[at] = np.arange(len(decided))
    rates = [pass_rates({(int(decided[row]), int(passed[row])): 1}) for row in firsts.tolist()]
    lists = pa.list_(pa.float64())
    return (
        pa.array([rate.at_least_one for rate in rates], lists).take(pa.array(at)),
        pa.array([rate.all_of_them for rate in rates], lists).take(pa.array(at)),
    )


def merge_samples(parts: Sequence[str], target: str) -> None:
    """Write one file, sorted by sample_id, of parts that are sorted and have no sample in common.

    All parts are read side by side, some rows of each at a time, so that memory does not grow with
    the number of samples.
    """
    with (
        files.open_write(target) as file,
        pq.ParquetWriter(file, SAMPLE_SCHEMA, compression="zstd") as writer,
    ):
        held = SAMPLE_SCHEMA.empty_table()
        for piece in _merged([_Part(path) for path in parts]):
            held = pa.concat_tables([held, piece])
            while held.num_rows >= ROW_GROUP_ROWS:
                _write_rows(writer, held.slice(0, ROW_GROUP_ROWS))
                held = held.slice(ROW_GROUP_ROWS)
        if held.num_rows:
            _write_rows(writer, held)


def _write_rows(writer: pq.ParquetWriter, rows: pa.Table) -> None:
    # As one chunk, so that the pages do not tell how the rows came.
    writer.write_table(rows.combine_chunks(), row_group_size=ROW_GROUP_ROWS)


class _Part:
    """A sorted part, of which some rows are held."""

    def __init__(self, path: str) -> None:
        self._file = files.open_read(path)
        self._batches = pq.ParquetFile(self._file).iter_batches(_BATCH_ROWS, use_threads=False)
        self.held = SAMPLE_SCHEMA.empty_table()
        self.is_read = False
        self.refill()

    def refill(self) -> None:
        """Hold more rows, if there are any."""
        batch = next(self._batches, None)
        if batch is None:
            self.is_read = True
            self._file.close()
        else:
            self.held = pa.concat_tables([self.held, pa.Table.from_batches([batch], SAMPLE_SCHEMA)])

    def take_below(self, bound: str | None) -> pa.Table:
        """The held rows whose sample id is below the bound; all if it is None."""
        taken = self.held
        if bound is not None:
            n = pc.sum(pc.less(self.held["sample_id"], bound)).as_py() or 0
            taken, self.held = self.held.slice(0, n), self.held.slice(n)
        else:
            self.held = self.held.slice(0, 0)
        return taken


def _merged(parts: list[_Part]) -> Iterator[pa.Table]:
    """Pieces of the whole, in order."""
    while parts:
        unread = [part for part in parts if not part.is_read]
        # What is below the last row that is held of every part that goes on is complete.
        bound = min((part.held["sample_id"][-1].as_py() for part in unread), default=None)
        piece = pa.concat_tables([part.take_below(bound) for part in parts])
        yield piece.take(pc.sort_indices(piece["sample_id"]))
        for part in unread:
            if bound is None or part.held.num_rows == 0 or part.held["sample_id"][-1].as_py() == bound:
                part.refill()
        parts = [part for part in parts if not (part.is_read and part.held.num_rows == 0)]
