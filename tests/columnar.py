"""The shipped graders, asked for the verdicts on plain rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from graders.batch import TrajectoryBatch
from graders.grading import Graded, grade
from graders.judging.bench import Bench
from graders.outcome import AbstainCode, Outcome
from graders.scope import CheckEntry
from pipeline.sources.records import ReadPlan, to_trajectories
from pipeline.specs.native import load_native
from pipeline.specs.yaml_reader import Document
from tests.record_columns import Row, to_bytes_table


class Verdict(NamedTuple):
    """A verdict on one record, as the table tells it."""

    outcome: str
    code: str | None
    event_index: int | None
    score: float | None
    evidence: str


def load_entries(checks: Sequence[Mapping[str, Any]]) -> list[CheckEntry]:
    """The entries of a native spec of these checks."""
    spec = {"version": 1, "checks": [dict(check) for check in checks]}
    return list(load_native(Document("spec.yaml", "", spec, {})).entries)


def to_batches(rows: Sequence[Row], needs: frozenset[str]) -> list[TrajectoryBatch]:
    """The rows as the reader gives them, with nothing but what is needed.

    A row that cannot be read fails the test.
    """
    return _read(to_bytes_table(rows), needs)


def _read(table: pa.Table, needs: frozenset[str]) -> list[TrajectoryBatch]:
    (raw,) = table.combine_chunks().to_batches()
    batches, bad = to_trajectories(raw, ReadPlan(needs))
    assert not bad
    return [TrajectoryBatch(batch) for batch in batches]


def verdicts_by_id(
    entries: Sequence[CheckEntry], batches: Sequence[TrajectoryBatch]
) -> list[dict[str, Verdict]]:
    """Per entry the verdicts on the records that it concerns, by trajectory_id."""
    found: list[dict[str, Verdict]] = [{} for _ in entries]
    for batch in batches:
        ids = batch.column("trajectory_id").to_pylist()
        for graded, by_id in zip(grade(entries, batch), found, strict=True):
            rows = range(len(batch)) if graded.rows is None else graded.rows.tolist()
            for at, row in enumerate(rows):
                assert ids[row] not in by_id
                by_id[ids[row]] = _verdict(graded, at)
    return found


def grade_rows(
    check: Mapping[str, Any], rows: Sequence[Row], bench: Bench | None = None
) -> list[Verdict | None]:
    """What one check says of each row; None outside of it. Rows need distinct trajectory ids."""
    (verdicts,) = grade_all([check], rows, bench)
    return verdicts


def grade_all(
    checks: Sequence[Mapping[str, Any]], rows: Sequence[Row], bench: Bench | None = None
) -> list[list[Verdict | None]]:
    """What each check says of each row, read with only what that check needs."""
    table = to_bytes_table(rows)
    batches: dict[frozenset[str], list[TrajectoryBatch]] = {}
    graded: list[list[Verdict | None]] = []
    for check in checks:
        entries = load_entries([check])
        needs = entries[0].needs
        if needs not in batches:
            batches[needs] = _read(table, needs)
            for batch in batches[needs]:
                batch.bench = bench
        (by_id,) = verdicts_by_id(entries, batches[needs])
        graded.append([by_id.get(row["trajectory_id"]) for row in rows])
    return graded


def _verdict(graded: Graded, at: int) -> Verdict:
    verdicts = graded.verdicts
    code, event_index = int(verdicts.code[at]), int(verdicts.event_index[at])
    score = float(verdicts.scores()[at])
    return Verdict(
        outcome=Outcome(int(verdicts.outcome[at])).label,
        code=AbstainCode(code).name if code else None,
        event_index=None if event_index < 0 else event_index,
        score=None if math.isnan(score) else score,
        evidence=verdicts.evidence.sentences[verdicts.evidence.codes[at]],
    )
