"""Scores of trajectories equal those of the twin, in any batch, graded before or not."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.batch import TrajectoryBatch
from graders.grading import grade, settled_by
from graders.outcome import Outcome
from graders.row_check import RowVerdict
from graders.scope import CheckEntry
from graders.scores import ScoreRule, TrajectoryOutcome, score_trajectories
from tests.columnar import load_entries, to_batches
from tests.graders.asking import Asks
from tests.record_columns import Row
from tests.reference import scoring

OUTCOMES = {"pass": 1, "fail": 0, "abstain": None}
WEIGHTS = ["0.1", "0.2", "0.7", "1", "2.5", "3"]


def _checks(weights: list[str], advisory: int | None, samples: list[str]) -> list[dict[str, Any]]:
    """Checks that pass on 1, fail on 0 and abstain on null at their own place in the metadata."""
    checks: list[dict[str, Any]] = [
        {"type": "score-range", "weight": float(weight), "config": {"path": f"c[{at}]", "min": 1}}
        for at, weight in enumerate(weights)
    ]
    if advisory is not None:
        checks[advisory % len(checks)]["advisory"] = True
    if samples:
        checks[0]["samples"] = samples
    return checks


def _rows(table: list[list[str]]) -> list[Row]:
    return [
        {
            "trajectory_id": f"t{at}",
            "sample_id": f"s{at % 2}",
            "events": [],
            "metadata": json.dumps({"c": [OUTCOMES[outcome] for outcome in outcomes]}),
        }
        for at, outcomes in enumerate(table)
    ]


@given(data=st.data())
def test_scores_equal_the_twins(data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.sampled_from(WEIGHTS), min_size=1, max_size=5))
    outcomes = st.lists(st.sampled_from(sorted(OUTCOMES)), min_size=len(weights), max_size=len(weights))
    table = data.draw(st.lists(outcomes, min_size=1, max_size=8))
    threshold = data.draw(st.sampled_from([None, "0.1", "0.3", "0.5", "0.8", "1"]))
    checks = _checks(
        weights,
        data.draw(st.none() | st.integers(0, 4)),
        data.draw(st.sampled_from([[], ["s1"], ["nobody"]])),
    )
    entries = load_entries(checks)
    rule = ScoreRule.of(entries, None if threshold is None else float(threshold))
    (batch,) = to_batches(_rows(table), frozenset({"metadata"}))
    if data.draw(st.booleans()):
        list(grade(entries, batch))
    found = score_trajectories(rule, batch)
    for row, outcomes_of_row in enumerate(table):
        gating = [
            (outcome, Fraction(weight))
            for outcome, weight, check in zip(outcomes_of_row, weights, checks, strict=True)
            if not check.get("advisory") and check.get("samples", ["s0", "s1"]).count(f"s{row % 2}")
        ]
        said = scoring.score(gating, None if threshold is None else Fraction(threshold))
        score = float(found.score[row])
        assert (None if math.isnan(score) else score) == (None if said.score is None else float(said.score))
        assert TrajectoryOutcome(int(found.outcome[row])).label == said.outcome
        counts = [found.passed[row], found.failed[row], found.abstained[row]]
        assert counts == [sum(each == kind for each, _ in gating) for kind in ("pass", "fail", "abstain")]


def test_grading_leaves_its_outcomes() -> None:
    entries = load_entries(_checks(["1", "1"], None, ["s1"]))
    (batch,) = to_batches(_rows([["pass", "fail"], ["abstain", "pass"]]), frozenset({"metadata"}))
    for graded in grade(entries, batch):
        assert settled_by(graded.entry, batch).outcome is graded.verdicts.outcome
    (fresh,) = to_batches(_rows([["pass", "fail"], ["abstain", "pass"]]), frozenset({"metadata"}))
    for entry in entries:
        assert settled_by(entry, fresh).outcome.tolist() == settled_by(entry, batch).outcome.tolist()


def test_another_entry_of_the_same_index_is_graded_anew() -> None:
    (batch,) = to_batches(_rows([["pass", "fail"]]), frozenset({"metadata"}))
    for place, outcome in ((0, 0), (1, 1)):
        (entry,) = load_entries([{"type": "score-range", "config": {"path": f"c[{place}]", "min": 1}}])
        assert settled_by(entry, batch).outcome.tolist() == [outcome]


@pytest.mark.parametrize(("weights", "whole"), [(["0.1", "0.2", "2.5"], (1, 2, 25)), (["3", "1"], (3, 1))])
def test_weights_become_whole(weights: list[str], whole: tuple[int, ...]) -> None:
    assert ScoreRule.of(load_entries(_checks(weights, None, []))).weights == whole


def test_weights_too_far_apart_stay_as_they_are() -> None:
    assert ScoreRule.of(load_entries(_checks(["1e-300", "1e300"], None, []))).weights == (1e-300, 1e300)


@pytest.mark.parametrize("ninths", list(itertools.permutations([0, 1, 2, 6])))
def test_graded_scores_hit_a_threshold_exactly(ninths: tuple[int, ...]) -> None:
    """(0 + 1 + 2 + 6) / 9 / 4 is 1/4, though ninths are rounded; in whichever order they are added."""
    checks = [Asks(ask=lambda _, share=share: _graded(share / 9)) for share in ninths]
    entries = [CheckEntry(at, None, check) for at, check in enumerate(checks)]
    (batch,) = to_batches([{"trajectory_id": "t", "output": "Done", "events": []}], checks[0].needs)
    for threshold, outcome in ((0.25, TrajectoryOutcome.PASSED), (0.25 + 1e-9, TrajectoryOutcome.FAILED)):
        assert score_trajectories(ScoreRule.of(entries, threshold), batch).outcome.tolist() == [outcome]


def _graded(score: float) -> RowVerdict:
    return RowVerdict(Outcome.PASS, "graded", score=score)


def test_scores_that_are_not_graded_come_as_near_as_they_are() -> None:
    """One part in 10^14 below a threshold is below it."""
    (batch,) = to_batches(_rows([["pass", "fail"]]), frozenset({"metadata"}))
    rule = ScoreRule.of(load_entries(_checks(["1e14", "1"], None, [])), 1.0)
    assert score_trajectories(rule, batch).outcome.tolist() == [TrajectoryOutcome.FAILED]


def test_a_batch_without_rows() -> None:
    (batch,) = to_batches(_rows([["pass"]]), frozenset({"metadata"}))
    empty = TrajectoryBatch(batch.record_batch.slice(0, 0))
    found = score_trajectories(ScoreRule.of(load_entries(_checks(["1"], None, []))), empty)
    assert len(found.score) == 0
    assert found.outcome.dtype == np.uint8
