"""The tally is a commutative monoid of integers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graders.grading import grade
from graders.outcome import AbstainCode, Outcome
from graders.tally import Tally
from graders.verdicts import Evidence, Verdicts
from tests.columnar import load_entries, to_batches

_COUNTS = st.integers(0, 2**70)
TALLIES = st.builds(
    Tally,
    passed=_COUNTS,
    failed=_COUNTS,
    abstained=st.tuples(*[_COUNTS] * len(AbstainCode)),
    seen_tools=st.integers(0, 2**70),
    matched=_COUNTS,
    actual=_COUNTS,
    reference=_COUNTS,
)
OUTCOMES = st.lists(
    st.one_of(
        st.sampled_from([(Outcome.PASS, 0), (Outcome.FAIL, 0)]),
        st.tuples(st.just(Outcome.ABSTAIN), st.sampled_from(list(AbstainCode))),
    ),
    max_size=40,
)


def _verdicts(pairs: list[Any]) -> Verdicts:
    return Verdicts(
        outcome=np.array([outcome for outcome, _ in pairs], np.uint8),
        code=np.array([code for _, code in pairs], np.uint8),
        evidence=Evidence.constant(len(pairs), "seen"),
        event_index=np.full(len(pairs), -1, np.int32),
    )


@given(first=TALLIES, second=TALLIES, third=TALLIES)
def test_merging_is_associative_and_commutative_with_an_identity(
    first: Tally, second: Tally, third: Tally
) -> None:
    assert first.merge(second) == second.merge(first)
    assert first.merge(second).merge(third) == first.merge(second.merge(third))
    assert first.merge(Tally()) == first == Tally().merge(first)


@given(first=TALLIES, second=TALLIES)
def test_merging_adds_and_changes_neither(first: Tally, second: Tally) -> None:
    before = (first._replace(), second._replace())
    merged = first.merge(second)
    assert (first, second) == before
    assert merged.total == first.total + second.total
    assert merged.seen_tools == first.seen_tools | second.seen_tools
    sums = (merged.matched, merged.actual, merged.reference)
    assert sums == tuple(a + b for a, b in zip(first[-3:], second[-3:], strict=True))
    assert all(type(count) is int for count in (merged.passed, merged.failed, *merged.abstained, *sums))


@given(pairs=OUTCOMES, cuts=st.lists(st.integers(0, 40), max_size=4))
def test_any_partition_of_the_verdicts_gives_one_tally(pairs: list[Any], cuts: list[int]) -> None:
    ends = sorted(min(cut, len(pairs)) for cut in cuts)
    parts = [pairs[low:high] for low, high in zip([0, *ends], [*ends, len(pairs)], strict=True)]
    whole = Tally.of(_verdicts(pairs))
    assert functools.reduce(Tally.merge, [Tally.of(_verdicts(part)) for part in parts], Tally()) == whole
    assert whole.total == len(pairs)
    assert whole.passed == sum(outcome is Outcome.PASS for outcome, _ in pairs)
    assert whole.failed == sum(outcome is Outcome.FAIL for outcome, _ in pairs)
    reasons = whole.abstain_reasons()
    assert list(reasons) == sorted(reasons)
    assert reasons == {
        code.name: count for code in AbstainCode if (count := sum(found == code for _, found in pairs))
    }


def test_each_listed_tool_that_was_called_is_seen() -> None:
    config = {"tools": ["a", "never", "b", "c"], "pattern": "x"}
    entries = load_entries([{"type": "assistant-contains-tool-output", "config": config}])
    events = [{"type": "tool_call", "tool_name": "a"}, {"type": "tool_result", "tool_name": "b.one"}]
    (batch,) = to_batches([{"trajectory_id": "t", "events": events}], entries[0].needs)
    (graded,) = grade(entries, batch)
    assert graded.tally().seen_tools == 0b101
