"""Reading a row group of a Parquet file as trajectories, only the columns that are needed."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import threading
from collections.abc import Iterator, Sequence
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from graders.trajectory import COMMON_NEEDS, FINAL_OUTPUT
from pipeline.sources.records import MESSAGES, Piece, ReadPlan, to_trajectories

_LEAST_ROWS = 16
# However small rows are: what is made of each, such as evidence, is not, nor are texts of which a dictionary
# holds but one copy.
_MOST_ROWS = 10_000
_BUFFER_BYTES = 1024 * 1024
_MOST_FOOTER_BYTES = 8 * 1024 * 1024

MANY_ROW_GROUPS = 1000
"""The footer of a file with more of them takes enough memory to care for."""


class Footers:
    """The footers of the files that were read last; of 10,000 row groups one takes more than 100 MB.

    Several threads may ask at once; those that want the same one wait for it.
    """

    def __init__(self) -> None:
        self._held: dict[str, pq.FileMetaData] = {}
        self._turns: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def of(self, path: str, file: IO[bytes]) -> pq.FileMetaData:
        """The footer of a file, read where it is not held."""
        with self._lock:
            turn = self._turns.setdefault(path, threading.Lock())
        with turn:  # Not the lock for all files: a footer may take long to come.
            footer = self._held.get(path)
            if footer is None:
                footer = pq.read_metadata(file)
                with self._lock:
                    if sum(held.serialized_size for held in self._held.values()) > _MOST_FOOTER_BYTES:
                        self._clear()
                    self._held[path] = footer
        return footer

    def drop(self) -> None:
        """Hold none any more."""
        with self._lock:
            is_large = any(footer.num_row_groups > MANY_ROW_GROUPS for footer in self._held.values())
            self._clear()
        if is_large:
            give_back_freed_memory()

    def _clear(self) -> None:
        self._held.clear()
        self._turns.clear()


def give_back_freed_memory() -> None:
    """Give what the C library holds of freed memory back to the system, where it can (glibc).

    It keeps it for each thread, also for those that have ended, and so the footers that they have read.
    """
    with contextlib.suppress(TypeError):  # Windows has no library of the process itself.
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def open_parquet(
    file: IO[bytes], metadata: pq.FileMetaData | None = None, dictionaries: Sequence[str] = ()
) -> pq.ParquetFile:
    """Open a Parquet file for reading through buffers; otherwise Arrow holds the compressed row group whole.

    Pages that have a checksum are held to it: damage need not show in another way.

    Args:
        file: the open file.
        metadata: its footer, where it has been read already.
        dictionaries: paths of the columns to read as dictionaries.
    """
    return pq.ParquetFile(
        file,
        metadata=metadata,
        read_dictionary=list(dictionaries),
        pre_buffer=False,
        buffer_size=_BUFFER_BYTES,
        page_checksum_verification=True,
    )


def read_row_group(
    file: IO[bytes], row_group: int, plan: ReadPlan, metadata: pq.FileMetaData | None = None
) -> Iterator[Piece]:
    """Read one row group in pieces of about `plan.batch_bytes` of uncompressed columns.

    Args:
        file: the open file.
        row_group: which one.
        plan: what to read of it.
        metadata: the footer of the file, where it has been read already.

    Raises:
        Exception: of whatever kind the damage has; a `pa.ArrowInvalid` where it only makes Arrow give fewer
            rows than the footer says, as a single wrong bit can.
    """
    metadata = pq.read_metadata(file) if metadata is None else metadata
    projection = Projection(metadata, row_group, plan)
    plan = dataclasses.replace(plan, needs=projection.needs)
    file.seek(0)
    # Dictionaries never cross a row group, and threads gain nothing beside other workers.
    reader = open_parquet(file, metadata, projection.dictionaries)
    raw_batches = reader.iter_batches(
        projection.rows_for(plan.batch_bytes),
        row_groups=[row_group],
        columns=projection.leaves,
        use_threads=False,
    )
    first = 0
    for raw in raw_batches:
        yield Piece(raw.num_rows, functools.partial(to_trajectories, raw, plan, first))
        first += raw.num_rows
    if first < projection.rows:
        raise pa.ArrowInvalid(f"damaged: the row group has {projection.rows} rows, but {first} can be read")


class Projection:
    """What to read of a row group.

    Attributes:
        rows: how many rows the row group has.
        leaves: paths of the Parquet columns, as pyarrow takes them.
        dictionaries: those of them that are read as dictionaries.
        needs: what the batches hold, with the content of messages left out where every
            trajectory of the row group has an output.
    """

    def __init__(self, metadata: pq.FileMetaData, row_group: int, plan: ReadPlan) -> None:
        columns = plan.columns
        self._group = metadata.row_group(row_group)
        self.rows: int = self._group.num_rows
        self._paths = [self._group.column(i).path_in_schema for i in range(self._group.num_columns)]
        wanted = set(plan.needs | COMMON_NEEDS)
        if FINAL_OUTPUT in wanted and not self._is_complete(columns.physical("output")):
            wanted.add("events.content")
        self.needs = frozenset(wanted)
        fields = {leaf.removeprefix("events.") for leaf in wanted if leaf.startswith("events.")}
        self.dictionaries: list[str] = []
        flat = {columns.physical(leaf) for leaf in wanted if "." not in leaf}
        flat.add(columns.physical(MESSAGES))
        self.leaves = [path for path in self._paths if any(_is_below(path, name) for name in flat)]
        self._add_events(metadata.schema.to_arrow_schema(), columns.physical("events"), fields)

    def _is_complete(self, name: str) -> bool:
        """Whether the statistics say that a flat column has no null."""
        if name not in self._paths:
            return False
        statistics = self._group.column(self._paths.index(name)).statistics
        return statistics is not None and statistics.has_null_count and statistics.null_count == 0

    def _add_events(self, schema: pa.Schema, name: str, fields: set[str]) -> None:
        paths = [path for path in self._paths if _is_below(path, name)]
        if not paths:
            return
        names = _struct_fields(schema.field(name).type)
        # The name of a column may hold dots itself: what follows it is what is split.
        steps = {path: [name, *path[len(name) + 1 :].split(".")] for path in paths}
        depth = next((d for d in (3, 2) if all(len(s) > d and s[d] in names for s in steps.values())), None)
        if depth is None:  # A list of another shape: read it whole.
            self.leaves += paths
            return
        chosen = [path for path in paths if steps[path][depth] in fields]
        # The lengths of the lists come with any field, so one is read even if none is needed.
        self.leaves += chosen or paths[:1]
        self.dictionaries += [
            path
            for path in chosen
            if steps[path][depth] in ("type", "tool_name") and len(steps[path]) == depth + 1
        ]

    def rows_for(self, batch_bytes: int) -> int:
        """How many rows make a batch of about that many uncompressed bytes."""
        wanted = set(self.leaves)
        size = sum(
            self._group.column(number).total_uncompressed_size
            for number, path in enumerate(self._paths)
            if path in wanted
        )
        return max(_LEAST_ROWS, min(self.rows, _MOST_ROWS, batch_bytes * self.rows // max(size, 1)))


def _is_below(path: str, name: str) -> bool:
    """Whether a Parquet column is the column `name` of the file or a part of it."""
    return path == name or path.startswith(f"{name}.")


def _struct_fields(kind: pa.DataType) -> set[str]:
    value = getattr(kind, "value_type", None)
    return {field.name for field in value} if value is not None and pa.types.is_struct(value) else set()
