"""The verdict table: its schema, and verdicts as rows of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from graders.arrays import from_texts, replace_surrogates, to_writable
from graders.batch import TrajectoryBatch
from graders.grading import Graded
from graders.outcome import AbstainCode, Outcome

TEXT = pa.dictionary(pa.int32(), pa.string())
"""A text with few values: a dictionary on the way to the file; in the file it is a string."""

VERDICT_SCHEMA = pa.schema(
    [
        ("trajectory_id", pa.string()),
        ("sample_id", pa.string()),
        ("trial", pa.int32()),
        ("spec_index", pa.int32()),
        ("check_type", TEXT),
        ("check_name", TEXT),
        ("outcome", TEXT),
        ("code", TEXT),
        ("score", pa.float64()),
        ("evidence", TEXT),
        ("event_index", pa.int32()),
        ("matched", pa.int32()),
        ("actual", pa.int32()),
        ("reference", pa.int32()),
    ]
)

_OUTCOMES = pa.array([outcome.label for outcome in Outcome])
_CODES = pa.array([code.name for code in AbstainCode])


@dataclasses.dataclass(frozen=True, slots=True)
class VerdictBatch:
    """Some rows of the verdict table.

    Attributes:
        record_batch: of `VERDICT_SCHEMA`.
    """

    record_batch: pa.RecordBatch


def verdict_rows(batch: TrajectoryBatch, graded: Graded) -> pa.RecordBatch:
    """The verdicts of one entry over a batch as rows, in the order of the batch."""
    verdicts, entry = graded.verdicts, graded.entry
    n = len(verdicts)
    ids = identity_columns(batch)
    if graded.rows is not None:
        rows = pa.array(graded.rows)
        ids = [column.take(rows) for column in ids]
    scores = verdicts.scores()
    counts = verdicts.counts
    columns = [
        *ids,
        pa.repeat(pa.scalar(entry.spec_index, pa.int32()), n),
        _constant(entry.check_type, n),
        _constant(entry.name, n),
        pa.DictionaryArray.from_arrays(pa.array(verdicts.outcome.astype(np.int32)), _OUTCOMES),
        pa.DictionaryArray.from_arrays(
            pa.array(verdicts.code.astype(np.int32) - 1, mask=verdicts.code == 0), _CODES
        ),
        pa.array(scores, mask=np.isnan(scores)),
        pa.DictionaryArray.from_arrays(
            pa.array(verdicts.evidence.codes), _sentences(verdicts.evidence.sentences)
        ),
        _index(verdicts.event_index),
        *(
            [pa.nulls(n, pa.int32())] * 3
            if counts is None
            else [_index(counts.matched), _index(counts.actual), _index(counts.reference)]
        ),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=VERDICT_SCHEMA)


def identity_columns(batch: TrajectoryBatch) -> list[pa.Array]:
    """The columns trajectory_id, sample_id and trial of a batch, as they are written."""
    return batch.memo(
        "identity",
        lambda: [
            to_writable(batch.column("trajectory_id")),
            to_writable(batch.column("sample_id")),
            batch.column("trial"),
        ],
    )


def _constant(text: str | None, n: int) -> pa.Array:
    if text is None:
        return pa.nulls(n, TEXT)
    values = pa.array([replace_surrogates(text)], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), values)


def _sentences(sentences: Sequence[str]) -> pa.Array:
    try:
        return pa.array(sentences, pa.string())
    except UnicodeEncodeError:
        return from_texts(map(replace_surrogates, sentences))


def _index(values: np.ndarray[tuple[int], np.dtype[np.int32]]) -> pa.Array:
    return pa.array(values, pa.int32(), mask=values < 0)
