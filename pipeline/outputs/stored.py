"""Tables of a finished run, read back for those who look at it."""

from __future__ import annotations

import json
from typing import Any

import fastavro
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline import files
from pipeline.errors import invalid
from pipeline.outputs.finished import FinishedRun
from pipeline.outputs.formats import to_records
from pipeline.outputs.near_ids import near_ids


def read_table(run: FinishedRun, table: str) -> list[dict[str, Any]]:
    """The rows of a table of a run, such as `summary`.

    Raises:
        InvalidError: there is none in a format that keeps the types.
    """
    for name, read in (("json", json.load), ("parquet", _parquet), ("avro", _avro)):
        path = files.join(run.directory, f"{table}.{name}")
        if files.exists(path):
            with files.open_read(path) as file:
                return read(file)
    raise invalid(run.directory, f"holds no {table}.json, .parquet or .avro; grade again with one of them")


def _parquet(file: Any) -> list[dict[str, Any]]:
    return to_records(pq.read_table(file))


def _avro(file: Any) -> list[Any]:
    return list(fastavro.reader(file))


def read_verdicts(run: FinishedRun, trajectory_id: str) -> list[dict[str, Any]]:
    """The rows of the verdict table on one trajectory, by spec index.

    Raises:
        InvalidError: there are none.
    """
    found: list[dict[str, Any]] = []
    for path in run.verdict_files:
        with files.open_read(path) as file:
            parquet = pq.ParquetFile(file)
            for group in range(parquet.num_row_groups):
                ids = parquet.read_row_group(group, columns=["trajectory_id"])["trajectory_id"]
                rows = pc.indices_nonzero(pc.equal(ids, trajectory_id))
                if len(rows):
                    found += parquet.read_row_group(group).take(rows).to_pylist()
    if not found:
        hint = near_ids(run, trajectory_id)
        raise invalid(run.directory, f"no verdict on the trajectory {trajectory_id!r}{hint}")
    return sorted(found, key=lambda row: row["spec_index"])
