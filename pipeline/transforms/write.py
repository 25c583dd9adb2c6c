"""Writing rows of tables and the ledger, safe under retried bundles."""

import concurrent.futures
import json
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
        name: its name below the directory.
        rows: its rows.
    """

    name: str
    rows: int


class WriteRows(beam.PTransform):
    """Write rows of a table as Parquet files.

    Goes in: a PCollection of `VerdictBatch` or `TrajectoryRows`. Comes out: a PCollection of
    `WrittenFile`. Each bundle writes a file of its own under a unique name and names it only once
    it is complete, so the files that come out are those that count; a bundle that failed leaves
    one that does not.
    """

    def __init__(self, directory: str, stem: str, schema: pa.Schema):
        """Plan where to write.

        Args:
            directory: where the files go.
            stem: the first part of their names.
            schema: that of the rows.
        """
        super().__init__()
        self._dofn = _WriteBundle(directory, stem, schema)

    def expand(self, rows):
        return rows | "Write" >> beam.ParDo(self._dofn)


@beam.typehints.with_output_types(WrittenFile)
class _WriteBundle(beam.DoFn):
    def __init__(self, directory, stem, schema):
        self._directory = directory
        self._stem = stem
        self._schema = schema

    def start_bundle(self):
        self._held: list[pa.RecordBatch] = []
        self._held_rows = 0
        self._file: _TableFile | None = None

    def process(self, element):
        self._held.append(element.record_batch)
        self._held_rows += element.record_batch.num_rows
        if self._held_rows >= ROW_GROUP_ROWS:
            self._flush()

    def finish_bundle(self):
        if self._held_rows:
            self._flush()
        if self._file is not None:
            yield in_global_window(self._file.close())

    def _flush(self):
        if self._file is None:
            name = f"{self._stem}-{uuid.uuid4().hex}.parquet"
            self._file = _TableFile(self._directory, name, self._schema)
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

    def close(self) -> WrittenFile:
        """Finish the file."""
        self._pending.result()
        self._thread.shutdown()
        self._writer.close()
        self._file.close()
        return WrittenFile(self._name, self._rows)


LedgerLine = dict[str, typing.Any]
"""One fact about a run, with the key `kind`."""


def ledger_line(kind: str, **values: object) -> LedgerLine:
    """A fact of a kind."""
    return {"kind": kind, **values}


class WriteLedger(beam.PTransform):
    """Write what came of a run as one file of JSON lines.

    Goes in: a PCollection of `LedgerLine`; there is one per cell and per file, so they are few.
    Comes out: nothing. The file appears whole or not at all; a retry writes another that says
    the same, so that any `ledger-*.jsonl` will do.
    """

    def __init__(self, directory: str):
        """Plan where to write."""
        super().__init__()
        self._directory = directory

    def expand(self, lines):
        return (
            lines
            | "Encode" >> beam.Map(_encoded).with_output_types(tuple[int, str])
            | "Gather" >> beam.GroupByKey()
            | "Write" >> beam.ParDo(_WriteLedger(self._directory))
        )


def _encoded(line: LedgerLine) -> tuple[int, str]:
    return 0, json.dumps(line, ensure_ascii=False)


class _WriteLedger(beam.DoFn):
    def __init__(self, directory):
        self._directory = directory

    def process(self, element):
        _, lines = element
        name = f"ledger-{uuid.uuid4().hex}.jsonl"
        draft = files.join(self._directory, f"{name}.part")
        with files.open_write(draft) as file:
            for line in lines:
                file.write(f"{line}\n".encode())
        files.rename(draft, files.join(self._directory, name))
