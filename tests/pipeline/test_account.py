"""Ids that occur more than once are counted alike in any number of shares."""

from __future__ import annotations

import collections

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that

from graders.batch import TrajectoryBatch
from pipeline.transforms.account import AccountIds, IdAccount

IDS = [f"t{at % 70}" for at in range(100)] + ["é", "é", "", "once"]


def _batch(ids: list[str]) -> TrajectoryBatch:
    return TrajectoryBatch(pa.record_batch([pa.array(ids)], names=["trajectory_id"]))


@pytest.mark.parametrize("shares", [1, 2, 7])
def test_repeated_ids_are_found_across_batches(shares: int) -> None:
    batches = [_batch(IDS[:40]), _batch(IDS[40:90]), _batch(IDS[90:])]
    repeated = {name: count for name, count in collections.Counter(IDS).items() if count > 1}

    def check(accounts: list[IdAccount]) -> None:
        assert len(accounts) == shares
        assert sum(account.rows for account in accounts) == len(IDS)
        assert sum(account.repeated for account in accounts) == len(repeated)
        assert sum(account.repeated_rows for account in accounts) == sum(repeated.values())
        assert sorted(name for account in accounts for name in account.repeated_ids) == sorted(repeated)

    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        assert_that(pipeline | beam.Create(batches) | AccountIds(shares), check)
