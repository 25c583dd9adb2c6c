"""Choosing examples while a run grades.

Where a check has more verdicts that did not pass than are wanted, those whose trajectory ids have the
smallest hashes are taken: the same ones from the same input, however many workers there are, on any
runner. Each worker keeps the few that can be among them, so nobody looks through the verdicts
afterwards. Those of the parts of the input that are read again for the report come before all others,
so that not every example means another row group to read.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from graders.arrays import Positions, replace_surrogates
from graders.batch import TrajectoryBatch
from graders.grading import Graded
from graders.outcome import AbstainCode, Outcome
from pipeline.outputs.examples import Example, ExampleSet
from pipeline.outputs.verdicts import identity_columns
from pipeline.sources.origin import parts_of

_FAR = 2**32  # Above all hashes: added to those of trajectories that others come before.
_MOST_FAILED, _MOST_ABSTAINED = 25, 5
_FAILED_IN_ALL, _ABSTAINED_IN_ALL = 5000, 1000


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
