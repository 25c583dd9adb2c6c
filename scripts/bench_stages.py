"""Time the stages of a run in one process, stage by stage on each row group: reading, grading, verdict rows.

CPU time, so that other work on the machine tells less; the raw scan of the same columns is the yardstick.
"""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import time
from collections.abc import Generator, Sequence

import pyarrow.parquet as pq

from graders.batch import TrajectoryBatch
from graders.grading import grade
from graders.scope import CheckEntry
from pipeline.outputs.verdicts import verdict_rows
from pipeline.sources.parquet import read_row_group
from pipeline.sources.records import ReadPlan


@dataclasses.dataclass
class Stages:
    """CPU seconds of each stage, and what went through them.

    Attributes:
        rows: trajectories.
        scan: reading the needed columns, decompressed and decoded.
        convert: bringing them into the schema of the record.
        grade: all checks, with evidence and tallies.
        write: verdicts as rows of their table, not yet compressed.
    """

    rows: int = 0
    scan: float = 0.0
    convert: float = 0.0
    grade: float = 0.0
    write: float = 0.0

    @contextlib.contextmanager
    def timed(self, stage: str) -> Generator[None]:
        """Add what the body takes to a stage."""
        began = time.process_time()
        yield
        setattr(self, stage, getattr(self, stage) + time.process_time() - began)

    def microseconds(self, stage: str) -> float:
        """What a stage takes for a trajectory."""
        return 1e6 * getattr(self, stage) / self.rows


def time_stages(entries: Sequence[CheckEntry], path: pathlib.Path, row_groups: int) -> Stages:
    """Read and grade the first row groups of a file."""
    stages = Stages()
    plan = ReadPlan(frozenset[str]().union(*(entry.needs for entry in entries)))
    with path.open("rb") as file:
        for number in range(min(row_groups, pq.ParquetFile(file).num_row_groups)):
            with stages.timed("scan"):
                pieces = list(read_row_group(file, number, plan))
            for piece in pieces:
                with stages.timed("convert"):
                    batches, _ = piece.trajectories()
                for batch in map(TrajectoryBatch, batches):
                    stages.rows += len(batch)
                    with stages.timed("grade"):
                        graded = list(grade(entries, batch))
                        for each in graded:
                            each.tally()
                    with stages.timed("write"):
                        for each in graded:
                            verdict_rows(batch, each)
    return stages
