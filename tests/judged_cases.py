"""The cases with replies for the real command: a job with their judges, and a cache that holds what they say."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from graders.grading import grade
from graders.judging.bench import Bench, RequestNotes
from pipeline.judges.replies import KEPT, REPLY_SCHEMA, ReplyRow, reply_row
from tests.case_files import JUDGES, Case
from tests.columnar import load_entries, to_batches

_NOTHING_ELSE = {"temperature": None, "max_completion_tokens": None, "response_format": None}


def job() -> dict[str, Any]:
    """A job whose providers are the judges of the cases; nobody listens there."""
    return {
        "judges": {
            "mode": "cache-only",
            "cache": "cache",
            "providers": [
                {
                    "name": judge.name,
                    "model": judge.model,
                    "base_url": "http://127.0.0.1:9",
                    "parameters": _NOTHING_ELSE,
                }
                for judge in JUDGES
            ],
        }
    }


def write_cache(directory: pathlib.Path, cases: Sequence[Case]) -> None:
    """Write what the judges of the cases say to what the cases make them be asked."""
    rows: dict[str, ReplyRow] = {}
    for case in cases:
        for row in _replies(case):
            assert rows.setdefault(row["hash"], row) == row, f"{case.name} asks what another case asks"
    directory.mkdir()
    pq.write_table(
        pa.Table.from_pylist(list(rows.values()), REPLY_SCHEMA), directory / "replies-cases.parquet"
    )


def _replies(case: Case) -> list[ReplyRow]:
    entries, notes = load_entries([case.check]), RequestNotes()
    for batch in to_batches(case.rows(), entries[0].needs):
        batch.bench = Bench(JUDGES, notes)
        for _ in grade(entries, batch):
            pass
    found = [(request, case.given_replies.find(request)) for request in notes.values()]
    return [
        reply_row(request, reply) for request, reply in found if reply is not None and reply.status in KEPT
    ]
