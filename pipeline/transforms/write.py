"""Writing rows of tables, safe under retried bundles."""

import concurrent.futures
import contextlib
import typing
import uuid

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import files
from pipeline.outputs.formats import ROW_GROUP_ROWS
from pipeline.transforms.bundles import in_global_window


class WrittenFile(typing.NamedTuple):
    """A file that a bundle has written.

    Attributes:
        table: the table that it is a part of, and the directory that it is in.
        name: its name there.
        rows: its rows.
    """

    table: str
    name: str
    rows: int


class WriteRows(beam.PTransform):
    """Write rows of a table as Parquet files.

    Goes in: a PCollection of `VerdictBatch` or `TrajectoryRows`. Comes out: a PCollection of
    `WrittenFile`. Each bundle writes a file of its own under a unique name and names it only once
    it is complete, so the files that come out are those that count; a bundle that failed leaves
    one that does not.
    """

    def __init__(self, staging: str, table: str, schema: pa.Schema, stem: str | None = None):
        """Plan where to write.

        Args:
            staging: the files go to a directory in it, which has the name of the table.
            table: the table.
            schema: that of the rows.
            stem: the first part of the files' names; None for the name of the table.
        """
        super().__init__()
        self._dofn = _WriteBundle(staging, table, schema, stem or table)

    def expand(self, rows):
        return rows | "Write" >> beam.ParDo(self._dofn)


@beam.typehints.with_output_types(WrittenFile)
class _WriteBundle(beam.DoFn):
    def __init__(self, staging, table, schema, stem):
        self._staging = staging
        self._table = table
        self._schema = schema
        self._stem = stem

    def setup(self):
        self._file: _TableFile | None = None

    def start_bundle(self):
        self._abandon()  # A bundle that failed may have left one.
        self._held: list[pa.RecordBatch] = []
        self._held_rows = 0

    def process(self, element):
        self._held.append(element.record_batch)
        self._held_rows += element.record_batch.num_rows
        if self._held_rows >= ROW_GROUP_ROWS:
            self._flush()

    def finish_bundle(self):
        if self._held_rows:
            self._flush()
        if self._file is not None:
            written, self._file = self._file.close(), None
            yield in_global_window(WrittenFile(self._table, *written))

    def teardown(self):
        self._abandon()

    def _abandon(self):
        if self._file is not None:
            self._file.abandon()
            self._file = None

    def _flush(self):
        if self._file is None:
            name = f"{self._stem}-{uuid.uuid4().hex}.parquet"
            self._file = _TableFile(files.join(self._staging, self._table), name, self._schema)
        self._file.append(self._held)
        self._held, self._held_rows = [], 0


class _TableFile:
    """A Parquet file of a table; row groups are compressed in a thread, one after the other."""

    def __init__(self, directory: str, name: str, schema: pa.Schema) -> None:
        self._name = name
        self._schema = schema
        self._rows = 0
        self._file = files.open_write(files.join(directory, name))
        # Without the Arrow schema in the file, its dictionaries read as the strings they are.
        self._writer = pq.ParquetWriter(self._file, schema, compression="zstd", store_schema=False)
        self._thread = concurrent.futures.ThreadPoolExecutor(1)
        self._pending = self._thread.submit(lambda: None)

    def append(self, batches: list[pa.RecordBatch]) -> None:
        """Write the batches as a row group, once the one before is written."""
        self._pending.result()
        self._pending = self._thread.submit(self._write, batches)
        self._rows += sum(batch.num_rows for batch in batches)

    def _write(self, batches: list[pa.RecordBatch]) -> None:
        table = pa.Table.from_batches(batches, self._schema).unify_dictionaries()
        self._writer.write_table(table.combine_chunks(), row_group_size=ROW_GROUP_ROWS)

    def close(self) -> tuple[str, int]:
        """Finish the file; its name and rows."""
        self._pending.result()
        self._thread.shutdown()
        self._writer.close()
        self._file.close()
        return self._name, self._rows

    def abandon(self) -> None:
        """Stop writing; what there is of the file counts for nothing."""
        self._thread.shutdown(cancel_futures=True)
        for each in (self._writer, self._file):
            with contextlib.suppress(Exception):  # The disk may be full, or what else let the bundle fail.
                each.close()
