"""Replies on disk: the cache, which outlives runs, and the replies of one run.

The cache is a directory. A finished run leaves its new replies as a file `replies-*.parquet`. While it
runs, each reply is appended to a journal of JSON lines the moment it arrives, so that a killed run
has paid for nothing that the next one does not find; journals count like the Parquet files, and a
line that breaks off counts for nothing. Failures are never kept: the next run asks again.
"""

from __future__ import annotations

import enum
import functools
import json
import os
import threading
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graders.arrays import replace_surrogates
from graders.judging.bench import Bench
from graders.judging.request import Judge, JudgeRequest
from graders.judging.vote import Reply, ReplyStatus
from pipeline import files

REPLY_SCHEMA = pa.schema(
    [
        ("hash", pa.string()),  # SHA-256 of the request in hexadecimal.
        ("judge", pa.string()),
        ("model", pa.string()),
        ("status", pa.string()),
        ("reply", pa.string()),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
    ]
)

RUN_SCHEMA = REPLY_SCHEMA.append(pa.field("origin", pa.string()))
"""The replies of one run: where each is from too, as an `Origin`."""

ReplyRow = dict[str, Any]
"""A row of one of these schemas."""


class Origin(enum.StrEnum):
    """Where a run has a reply from."""

    CACHE = "cache"
    CALL = "call"
    NOWHERE = "nowhere"


KEPT = (ReplyStatus.ANSWERED, ReplyStatus.REFUSED)
"""What a provider was paid for."""


def reply_row(request: JudgeRequest, reply: Reply, input_tokens: int = 0, output_tokens: int = 0) -> ReplyRow:
    """A reply as a row."""
    return {
        "hash": request.digest.hex(),
        "judge": request.judge.name,
        "model": request.judge.model,
        "status": str(reply.status),
        "reply": replace_surrogates(reply.text),
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
    }


class ReplyTable:
    """Replies by the hash of their request, in memory as columns.

    Attributes:
        table: of one of the schemas, sorted by hash, one row each.
    """

    def __init__(self, table: pa.Table) -> None:
        """Sort rows; of several with one hash an answer counts before a failure, then the first by text."""
        rank = pc.index_in(table["status"], pa.array([str(status) for status in ReplyStatus]))
        ordered = table.append_column("rank", rank).sort_by(
            [("hash", "ascending"), ("rank", "ascending"), ("reply", "ascending")]
        )
        hashes = _fixed(ordered["hash"])
        is_first = np.ones(len(hashes), np.bool_)
        is_first[1:] = hashes[1:] != hashes[:-1]
        self._hashes = hashes[is_first]
        self.table = ordered.filter(pa.array(is_first)).select(table.schema.names).combine_chunks()

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, request: JudgeRequest) -> Reply | None:
        """The reply to a request; None where there is none."""
        row = self.row(request.digest)
        return None if row is None else Reply(ReplyStatus(row["status"]), row["reply"])

    def row(self, digest: bytes) -> ReplyRow | None:
        """The row of a hash; None where there is none."""
        wanted = np.array(digest.hex(), self._hashes.dtype)
        at = int(np.searchsorted(self._hashes, wanted))
        if at == len(self._hashes) or self._hashes[at] != wanted:
            return None
        return self.table.slice(at, 1).to_pylist()[0]


def _fixed(hashes: pa.ChunkedArray) -> np.ndarray:
    return hashes.to_numpy().astype("U64") if len(hashes) else np.array([], "U64")


def read_cache(directory: str) -> ReplyTable:
    """The replies of a cache; none where there is no such directory."""
    tables = _read_parquet(directory, "replies-", REPLY_SCHEMA)
    return ReplyTable(pa.concat_tables([*tables, _read_journals(directory, "journal-")]))


def _read_parquet(directory: str, prefix: str, schema: pa.Schema) -> list[pa.Table]:
    tables: list[pa.Table] = [schema.empty_table()]
    for name in _names(directory, prefix, ".parquet"):
        with files.open_read(files.join(directory, name)) as file:
            tables.append(pq.read_table(file, schema=schema))
    return tables


def _names(directory: str, prefix: str, suffix: str) -> list[str]:
    try:
        return files.list_names(directory, prefix, suffix)
    except FileNotFoundError:
        return []


def _read_journals(directory: str, prefix: str) -> pa.Table:
    rows: list[ReplyRow] = []
    for name in _names(directory, prefix, ".jsonl"):
        with files.open_read(files.join(directory, name)) as file:
            for line in file.read().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # The line that was being written when the run was killed.
                if set(row) == set(REPLY_SCHEMA.names):
                    rows.append(row)
    return pa.Table.from_pylist(rows, REPLY_SCHEMA)


class Journal:
    """Keeps each reply of a run as it arrives; safe to use from many threads."""

    def __init__(self, directory: str, name: str) -> None:
        """Open a journal in a cache; `known` has what was kept in it so far, by any process."""
        self._directory = directory
        self._name = name
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self.known = ReplyTable(_read_journals(directory, f"journal-{name}-"))

    def append(self, row: ReplyRow) -> None:
        """Keep a reply: at once on a local disk, with the next `flush` elsewhere."""
        line = json.dumps(row).encode() + b"\n"
        with self._lock:
            if files.is_remote(self._directory):
                self._waiting.append(line)
                return
            path = os.path.join(self._directory, f"journal-{self._name}-{os.getpid()}.jsonl")
            out = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(out, line)
            finally:
                os.close(out)

    def flush(self) -> None:
        """Write what waits as a file of its own."""
        with self._lock:
            lines, self._waiting = self._waiting, []
        if lines:
            name = f"journal-{self._name}-{uuid.uuid4().hex}.jsonl"
            with files.open_write(files.join(self._directory, name)) as file:
                file.write(b"".join(lines))


def close_journals(directory: str, name: str) -> None:
    """Turn the files of a journal into one Parquet file of the cache."""
    prefix = f"journal-{name}-"
    table = ReplyTable(_read_journals(directory, prefix)).table
    if table.num_rows:
        _write(table, files.join(directory, f"replies-{name}.parquet"))
    files.delete(*(files.join(directory, name) for name in files.list_names(directory, prefix, ".jsonl")))


def write_part(rows: Sequence[ReplyRow], directory: str) -> str:
    """Write some replies of a run, for `read_replies`; the path of the file."""
    path = files.join(directory, f"part-{uuid.uuid4().hex}.parquet")
    _write(pa.Table.from_pylist(rows, RUN_SCHEMA), path)
    return path


def _write(table: pa.Table, path: str) -> None:
    """Write a Parquet file that appears whole."""
    partial = f"{path}.{uuid.uuid4().hex}.partial"
    with files.open_write(partial) as file:
        pq.write_table(table, file, compression="zstd", store_schema=False)
    files.rename(partial, path)


def read_replies(directory: str) -> ReplyTable:
    """The replies of one run, as its first phase left them."""
    return ReplyTable(pa.concat_tables(_read_parquet(directory, "part-", RUN_SCHEMA)))


class BenchSource:
    """Where a worker finds the judges of a run and their replies; plain data that travels to it."""

    def __init__(self, judges: Sequence[Judge], directory: str) -> None:
        """Keep the judges, and the directory that `read_replies` reads."""
        self._judges = tuple(judges)
        self._directory = directory

    def open(self) -> Bench:
        """The bench; its replies are read once per process."""
        return Bench(self._judges, _read_once(self._directory))


@functools.lru_cache(maxsize=1)
def _read_once(directory: str) -> ReplyTable:
    return read_replies(directory)
