"""The counts beside a verdict of trajectory-match: matched, actual and reference calls."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.grading import grade
from graders.outcome import Outcome
from graders.tally import Tally
from graders.verdicts import MatchCounts
from tests.columnar import load_entries, to_batches, verdicts_by_id
from tests.record_columns import Row
from tests.reference.verdict import judge
from tests.strategies.catalog import check_strategies
from tests.strategies.entries import entries
from tests.strategies.records import record_lists

STRATEGY = check_strategies()["trajectory-match"]
Counts = tuple[int, int, int]
NO_COUNTS = (-1, -1, -1)


def _counts(check: dict[str, Any], rows: list[Row]) -> list[tuple[str, Counts | None]]:
    """The outcome and the counts of each row that the check concerns, by row."""
    (entry,) = load_entries([check])
    batches = to_batches(rows, entry.needs)
    (by_id,) = verdicts_by_id([entry], batches)
    found: dict[str, Counts | None] = {}
    for batch in batches:
        ids = batch.column("trajectory_id").to_pylist()
        for graded in grade([entry], batch):
            concerned = range(len(batch)) if graded.rows is None else graded.rows.tolist()
            for at, row in enumerate(concerned):
                found[ids[row]] = _at(graded.verdicts.counts, at)
    ids = [row["trajectory_id"] for row in rows if row["trajectory_id"] in by_id]
    return [(by_id[each].outcome, found[each]) for each in ids]


def _at(counts: MatchCounts | None, at: int) -> Counts | None:
    return counts and (int(counts.matched[at]), int(counts.actual[at]), int(counts.reference[at]))


@given(data=st.data())
def test_counts_equal_the_twins(data: st.DataObject) -> None:
    check = data.draw(entries(STRATEGY))
    rows = data.draw(record_lists(**STRATEGY.columns))
    said = [each for row in rows if (each := judge(check, row)) is not None]
    for (outcome, counts), expected in zip(_counts(check, rows), said, strict=True):
        if outcome == "abstain":
            assert counts in (None, NO_COUNTS)
            continue
        assert counts == expected.counts, (check, rows)
        matched, actual, reference = counts
        assert 0 <= matched <= min(actual, reference)


@given(data=st.data())
def test_sums_equal_the_twins(data: st.DataObject) -> None:
    check = data.draw(entries(STRATEGY))
    rows = data.draw(record_lists(**STRATEGY.columns))
    (entry,) = load_entries([check])
    tally = Tally()
    for batch in to_batches(rows, entry.needs):
        for graded in grade([entry], batch):
            tally = tally.merge(graded.tally())
    said = [each for row in rows if (each := judge(check, row)) is not None]
    decided = [each.counts for each in said if each.outcome is not Outcome.ABSTAIN and each.counts]
    sums = tuple(map(sum, zip(*decided, strict=True))) or (0, 0, 0)
    assert (tally.matched, tally.actual, tally.reference) == sums


CALLS = [
    {"type": "tool_call", "tool_name": name, "arguments": arguments}
    for name, arguments in [("a", '{"n":1}'), ("b", "{}"), ("a", '{"n":2}'), ("think", None), ("a", "{")]
]
REFERENCE = [{"tool": "b"}, {"tool": "a", "arguments": {"n": 2}}, {"tool": "a", "arguments": {"n": 1}}]


@pytest.mark.parametrize(
    ("mode", "matched"),
    [("exact", 2), ("in_order", 2), ("unordered", 3), ("any_order", 3), ("superset", 3), ("subset", 3)],
)
def test_ordered_modes_count_what_is_in_order(mode: str, matched: int) -> None:
    config = {"mode": mode, "calls": REFERENCE, "ignore": ["think"]}
    row = {"trajectory_id": "t", "events": CALLS}
    ((_, counts),) = _counts({"type": "trajectory-match", "config": config}, [row])
    assert counts == (matched, 4, 3)


@pytest.mark.parametrize("negate", [False, True])
def test_negation_leaves_the_counts(negate: bool) -> None:
    check = {"type": "trajectory-match", "negate": negate, "config": {"calls": [{"tool": "b"}]}}
    row = {"trajectory_id": "t", "events": CALLS[:2]}
    assert _counts(check, [row]) == [("pass" if negate else "fail", (1, 2, 1))]


def test_only_the_type_itself_counts() -> None:
    part = {"type": "trajectory-match", "config": {"calls": [{"tool": "a"}]}}
    row = {"trajectory_id": "t", "events": CALLS[:1]}
    assert _counts({"type": "all-of", "config": {"checks": [part]}}, [row]) == [("pass", None)]
    assert _counts({"type": "hasToolCall", "config": {"tool": "a"}}, [row]) == [("pass", None)]


def test_a_turn_counts_its_own_calls() -> None:
    events = [{"type": "user_message"}, CALLS[0], {"type": "user_message"}, *CALLS[1:3]]
    check = {"type": "trajectory-match", "turn": 1, "config": {"mode": "superset", "calls": [{"tool": "a"}]}}
    assert _counts(check, [{"trajectory_id": "t", "events": events}]) == [("pass", (1, 2, 1))]


def test_an_unresolved_reference_has_none() -> None:
    check = {"type": "trajectory-match", "config": {"referencePath": "calls"}}
    ((outcome, counts),) = _counts(check, [{"trajectory_id": "t", "events": CALLS}])
    assert outcome == "abstain"
    assert counts == NO_COUNTS, "which the table writes as null"


def test_a_run_that_never_happened_has_none() -> None:
    check = {"type": "trajectory-match", "config": {"calls": [{"tool": "a"}]}}
    row = {"trajectory_id": "t", "events": [], "error": "no sandbox"}
    assert _counts(check, [row]) == [("abstain", NO_COUNTS)]
