"""The votes table: what each judge said of each trajectory, behind the verdicts of judged checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from graders import scope
from graders.arrays import replace_surrogates
from graders.batch import TrajectoryBatch
from graders.families.judged import JudgedCheck
from graders.grading import concerned_part
from graders.judging.request import Judge
from graders.judging.vote import Vote
from graders.scope import CheckEntry
from pipeline.outputs.verdicts import TEXT, identity_columns

VOTE_SCHEMA = pa.schema(
    [
        ("trajectory_id", pa.string()),
        ("sample_id", pa.string()),
        ("trial", pa.int32()),
        ("spec_index", pa.int32()),
        ("check_name", TEXT),
        ("judge", TEXT),
        ("model", TEXT),
        ("outcome", TEXT),
        ("code", TEXT),
        ("score", pa.float64()),
        ("said", pa.string()),
    ]
)


@dataclasses.dataclass(frozen=True, slots=True)
class VoteRows:
    """Some rows of the votes table.

    Attributes:
        record_batch: of `VOTE_SCHEMA`.
    """

    record_batch: pa.RecordBatch


def vote_rows(entry: CheckEntry, batch: TrajectoryBatch) -> VoteRows:
    """What each judge of a judged check said of the trajectories that were put to it, before negation."""
    check = entry.check
    if not isinstance(check, JudgedCheck):
        raise TypeError(f"{entry.check_type} is no judged check")
    rows, part = concerned_part(entry, batch)
    judges = check.seated(batch.bench)
    found = [
        (row if rows is None else int(rows[row]), judge, vote)
        for row, votes in enumerate(check.votes(scope.view(entry, part)))
        for judge, vote in zip(judges, votes or (), strict=bool(votes))
    ]
    at = pa.array(np.array([row for row, _, _ in found], np.int64))
    columns = [
        *(column.take(at) for column in identity_columns(batch)),
        pa.repeat(pa.scalar(entry.spec_index, pa.int32()), len(found)),
        *_columns_of([(judge, vote) for _, judge, vote in found], entry.name),
    ]
    return VoteRows(pa.RecordBatch.from_arrays(columns, schema=VOTE_SCHEMA))


def _columns_of(found: list[tuple[Judge, Vote]], name: str | None) -> list[pa.Array]:
    texts = [
        [name for _ in found],
        [judge.name for judge, _ in found],
        [judge.model for judge, _ in found],
        [vote.outcome.label for _, vote in found],
        [None if vote.code is None else vote.code.name for _, vote in found],
    ]
    return [
        *(_coded(column) for column in texts),
        pa.array([None if vote.score is None else float(vote.score) for _, vote in found], pa.float64()),
        pa.array([replace_surrogates(vote.sentence) for _, vote in found], pa.string()),
    ]


def _coded(texts: Sequence[str | None]) -> pa.Array:
    written = [None if text is None else replace_surrogates(text) for text in texts]
    return pa.array(written, pa.string()).cast(TEXT)
