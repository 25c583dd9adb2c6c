"""Batches travel between workers unchanged, and their size is known without encoding them."""

from __future__ import annotations

import pickle

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to

from graders.batch import TrajectoryBatch
from graders.grading import grade
from graders.tally import Tally
from pipeline.outputs.verdicts import VerdictBatch, verdict_rows
from pipeline.transforms import Grade, Tabulate, coders
from tests.columnar import load_entries, to_batches, verdicts_by_id
from tests.strategies.catalog import check_strategies
from tests.strategies.corpus import corpus

CHECKS = [
    {"type": strategy.check_type, "config": strategy.examples[0]} for strategy in check_strategies().values()
]


@pytest.fixture(scope="module")
def batch() -> TrajectoryBatch:
    """The corpus, with surrogates, nulls and long texts in it."""
    entries = load_entries(CHECKS)
    batches = to_batches(corpus(), frozenset().union(*(entry.needs for entry in entries)))
    return max(batches, key=len)


def _coder(kind: type) -> beam.coders.Coder:
    return beam.coders.registry.get_coder(kind)


def test_batches_have_a_coder_of_their_own() -> None:
    assert isinstance(_coder(TrajectoryBatch), coders.TrajectoryBatchCoder)
    assert isinstance(_coder(VerdictBatch), coders.VerdictBatchCoder)


def test_a_batch_of_trajectories_comes_back(batch: TrajectoryBatch) -> None:
    coder = _coder(TrajectoryBatch)
    for part in (
        batch,
        TrajectoryBatch(batch.record_batch.slice(3, 5)),
        TrajectoryBatch(batch.record_batch.slice(0, 0)),
    ):
        back = coder.decode(coder.encode(part))
        assert back.record_batch.schema == part.record_batch.schema
        assert len(back) == len(part)
        entries = load_entries(CHECKS)
        assert verdicts_by_id(entries, [back]) == verdicts_by_id(entries, [part])


def test_the_size_of_a_batch_is_that_of_its_columns(batch: TrajectoryBatch) -> None:
    coder = _coder(TrajectoryBatch)
    assert coder.estimate_size(batch) == batch.record_batch.nbytes
    assert not coder.is_deterministic()


def test_a_batch_of_verdicts_comes_back(batch: TrajectoryBatch) -> None:
    coder = _coder(VerdictBatch)
    for graded in grade(load_entries(CHECKS[:3]), batch):
        rows = verdict_rows(batch, graded)
        assert coder.decode(coder.encode(VerdictBatch(rows))).record_batch.equals(rows)


@pytest.mark.parametrize("kind", [TrajectoryBatch, VerdictBatch])
def test_coders_travel(kind: type) -> None:
    coder = _coder(kind)
    assert pickle.loads(pickle.dumps(coder)) == coder  # noqa: S301  (our own bytes)


def test_entries_travel() -> None:
    entries = load_entries(CHECKS)
    assert pickle.loads(pickle.dumps(entries)) == entries  # noqa: S301  (our own bytes)


def test_transforms_say_what_is_wrong_while_the_graph_is_built() -> None:
    with pytest.raises(ValueError, match="no entries"):
        Grade([])


def test_cells_are_told_apart_by_type_and_index() -> None:
    keys = [(1, "a", "", ""), (1, "b", "", ""), (11, "a", "", ""), (1, "a", "", "")]
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        cells = pipeline | beam.Create([(key, Tally(passed=1)) for key in keys]) | Tabulate()
        expected = [(keys[0], Tally(2)), (keys[1], Tally(1)), (keys[2], Tally(1))]
        assert_that(cells, equal_to(expected))
