"""Verdicts to look at: a few of each check that did not pass, chosen while the run grades.

Where a check has more of them than are wanted, those whose trajectory ids have the smallest hashes
are taken: the same ones from the same input, however many workers there are, on any runner. Each
worker keeps the few that can be among them, so nobody looks through the verdicts afterwards.
Those of the parts of the input that are read again for the report come before all others, so that
not every example means another row group to read.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from graders.arrays import Positions, replace_surrogates
from graders.batch import TrajectoryBatch
from graders.grading import Graded
from graders.outcome import AbstainCode, Outcome
from pipeline import files
from pipeline.errors import InvalidError, invalid
from pipeline.outputs.commit import EXAMPLES
from pipeline.outputs.verdicts import identity_columns
from pipeline.sources.origin import parts_of

_FAR = 2**32  # Above all hashes: added to those of trajectories that others come before.
_MOST_FAILED, _MOST_ABSTAINED = 25, 5
_FAILED_IN_ALL, _ABSTAINED_IN_ALL = 5000, 1000


class Example(NamedTuple):
    """A verdict that did not pass.

    Attributes:
        rank: the hash of its trajectory's id; examples are in this order.
        trajectory_id: which run.
        evidence: what was observed.
        event_index: the event that it rests on; -1 if none.
        code: why it abstains; empty for a fail.
        sample_id: which sample.
        trial: which repeat; -1 if none is recorded.
        part: the hash of the work item that holds the trajectory; -1 if that is not known.
    """

    rank: int
    trajectory_id: str
    evidence: str
    event_index: int
    code: str
    sample_id: str
    trial: int
    part: int


Examples = dict[tuple[int, str], list[Example]]
"""Examples by (spec index, outcome), outcome being `fail` or `abstain`."""


class ExampleSet(NamedTuple):
    """The examples of a check with one outcome: those of the lowest ranks, a commutative monoid.

    Attributes:
        most: how many there are at most.
        examples: sorted.
    """

    most: int
    examples: tuple[Example, ...]

    def merge(self, other: ExampleSet) -> ExampleSet:
        """Those of both with the lowest ranks."""
        return ExampleSet(self.most, tuple(sorted(self.examples + other.examples)[: self.most]))


def most_examples(checks: int) -> dict[Outcome, int]:
    """How many examples of each outcome a check has at most; of many checks each has fewer."""
    return {
        Outcome.FAIL: min(max(_FAILED_IN_ALL // checks, 2), _MOST_FAILED),
        Outcome.ABSTAIN: min(max(_ABSTAINED_IN_ALL // checks, 1), _MOST_ABSTAINED),
    }


class ExampleChooser:
    """Chooses among the verdicts of some batches.

    Attributes:
        chosen: what there is so far by (spec index, outcome).
    """

    def __init__(self, most: Mapping[Outcome, int], near_hash: int) -> None:
        """Plan the choice.

        Args:
            most: how many of each outcome are chosen; other outcomes are left out.
            near_hash: the largest hash of the work items whose trajectories come before all others.
        """
        self._most = most
        self._near_hash = near_hash
        self.chosen: dict[tuple[int, str], ExampleSet] = {}

    def emptied(self) -> ExampleChooser:
        """The same, with nothing chosen so far."""
        return ExampleChooser(self._most, self._near_hash)

    def add(self, batch: TrajectoryBatch, graded: Graded) -> None:
        """Choose among the verdicts of an entry on a batch too."""
        for outcome, most in self._most.items():
            at = np.flatnonzero(graded.verdicts.outcome == outcome)
            if not len(at):
                continue
            key = (graded.entry.spec_index, outcome.label)
            held = self.chosen.get(key, ExampleSet(most, ()))
            rows = at if graded.rows is None else graded.rows[at]
            ranks = self._ranks(batch)
            low = _lowest(ranks[rows], held)
            if len(low):
                found = _examples(batch, ranks, graded, rows[low], at[low])
                self.chosen[key] = held.merge(ExampleSet(most, tuple(found)))

    def _ranks(self, batch: TrajectoryBatch) -> Positions:
        """The rank of each trajectory, int64[n]: the hash of its id, near ones before all others."""

        def find() -> Positions:
            ids = identity_columns(batch)[0].cast(pa.binary()).to_pylist()
            hashes = np.fromiter(map(zlib.crc32, ids), np.int64, len(ids))
            return hashes + np.where(parts_of(batch.record_batch) > self._near_hash, _FAR, 0)

        return batch.memo("example ranks", find)


def _lowest(ranks: Positions, held: ExampleSet) -> Positions:
    """Where ranks are that can be among the lowest, given the examples held."""
    if len(held.examples) == held.most:
        at = np.flatnonzero(ranks <= held.examples[-1].rank)
    else:
        at = np.arange(len(ranks))
    if len(at) > held.most:
        at = at[ranks[at] <= np.partition(ranks[at], held.most - 1)[held.most - 1]]
    return at


def _examples(
    batch: TrajectoryBatch, ranks: Positions, graded: Graded, rows: Positions, at: Positions
) -> list[Example]:
    """The examples in these rows of the batch, which are these verdicts of the entry."""
    ids, samples, trials = (column.take(pa.array(rows)).to_pylist() for column in identity_columns(batch))
    verdicts = graded.verdicts
    evidence = [verdicts.evidence.sentences[int(code)] for code in verdicts.evidence.codes[at]]
    parts = parts_of(batch.record_batch)
    return [
        Example(
            rank=rank,
            trajectory_id=id_,
            evidence=replace_surrogates(sentence),
            event_index=event_index,
            code=AbstainCode(code).name if code else "",
            sample_id=sample,
            trial=-1 if trial is None else trial,
            part=part,
        )
        for rank, id_, sample, trial, sentence, event_index, code, part in zip(
            ranks[rows].tolist(),
            ids,
            samples,
            trials,
            evidence,
            verdicts.event_index[at].tolist(),
            verdicts.code[at].tolist(),
            parts[rows].tolist(),
            strict=True,
        )
    ]


def encode_examples(examples: Examples) -> bytes:
    """The file of the examples of a run: a JSON list, one example a line."""
    lines = [
        json.dumps({"spec_index": spec_index, "outcome": outcome, **example._asdict()}, ensure_ascii=False)
        for (spec_index, outcome), listed in examples.items()
        for example in listed
    ]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def read_examples(directory: str) -> Examples:
    """The examples of a finished run.

    Raises:
        InvalidError: there are none.
    """
    path = files.join(directory, EXAMPLES)
    try:
        rows: list[dict[str, Any]] = json.loads(files.read_bytes(path, "examples"))
    except InvalidError as error:
        raise invalid(path, "is not there, an earlier gradebeam wrote this run; grade again") from error
    examples: Examples = {}
    for row in rows:
        key = (row.pop("spec_index"), row.pop("outcome"))
        examples.setdefault(key, []).append(Example(**row))
    return examples


def by_rank(examples: Examples) -> Sequence[Example]:
    """All examples, the first of each check before the second of any."""
    most = max(map(len, examples.values()), default=0)
    return [listed[n] for n in range(most) for listed in examples.values() if n < len(listed)]
