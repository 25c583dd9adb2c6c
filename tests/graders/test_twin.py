"""The columns and the naive twin agree on any record, in any order and any batches.

Random records are held to random entries of each check type; records made by hand, and those of
all cases, to every hand-made entry.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from graders.batch import TrajectoryBatch
from graders.outcome import AbstainCode
from tests.case_files import all_cases
from tests.columnar import Verdict, grade_all, load_entries, to_batches, verdicts_by_id
from tests.record_columns import Row
from tests.reference.catalog import twins
from tests.reference.judgement import Judgement
from tests.reference.verdict import judge
from tests.strategies.catalog import check_strategies
from tests.strategies.corpus import corpus
from tests.strategies.entries import IS_THOROUGH, LISTS, entries, entry_lists
from tests.strategies.records import record_lists

TYPES = sorted(check_strategies())
WRAPPERS: list[dict[str, Any]] = [
    {**turn, **negate}
    for turn in ({}, {"turn": 0}, {"turn": 1}, {"turn": -1})
    for negate in ({}, {"negate": True})
]


def _expected(said: Judgement | None) -> tuple[str, str | None, int | None] | None:
    if said is None:
        return None
    return said.outcome.label, said.code.name if said.code else None, said.event_index


def _seen(verdict: Verdict | None) -> tuple[str, str | None, int | None] | None:
    return None if verdict is None else verdict[:3]


def _assert_agree(checks: Sequence[dict[str, Any]], rows: Sequence[Row]) -> None:
    for check, verdicts in zip(checks, grade_all(checks, rows), strict=True):
        for row, verdict in zip(rows, verdicts, strict=True):
            said = judge(check, row)
            assert _seen(verdict) == _expected(said), (check, row)
            if said is not None and said.evidence is not None and verdict is not None:
                assert verdict.evidence == said.evidence, (check, row)


@pytest.mark.parametrize("check_type", TYPES)
@settings(max_examples=LISTS)
@given(data=st.data())
def test_columns_equal_the_twin(check_type: str, data: st.DataObject) -> None:
    strategy = check_strategies()[check_type]
    rows = data.draw(record_lists(**strategy.columns))
    _assert_agree(data.draw(entry_lists(strategy)), rows)


@pytest.mark.parametrize("check_type", TYPES)
def test_columns_equal_the_twin_on_the_corpus(check_type: str) -> None:
    _assert_agree(_hand_made(check_type, wrapped=1), corpus())


@pytest.mark.parametrize("check_type", TYPES)
def test_columns_equal_the_twin_on_the_records_of_all_cases(check_type: str) -> None:
    cases = [case for case in all_cases() if case.is_in_events]
    others = [row for case in cases if case.check_type != check_type for row in case.rows()]
    rows = [row for case in cases if case.check_type == check_type for row in case.rows()]
    _assert_agree(_hand_made(check_type, wrapped=0), rows + others[:: 1 if IS_THOROUGH else 25])


def _hand_made(check_type: str, wrapped: int) -> list[dict[str, Any]]:
    """The hand-made entries of a type, each plain and in some wrappers in turn, or in all of them."""
    strategy = check_strategies()[check_type]
    others = itertools.cycle(WRAPPERS[1:])
    return [
        {"type": check_type, "config": config, **wrapper}
        for config in strategy.examples
        for wrapper in (WRAPPERS if IS_THOROUGH else [{}, *itertools.islice(others, wrapped)])
        if "turn" not in wrapper or strategy.may_see_a_turn(config)
    ]


@given(data=st.data())
def test_verdicts_depend_on_neither_order_nor_batches(data: st.DataObject) -> None:
    types = data.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=4, unique=True))
    strategies = [check_strategies()[check_type] for check_type in types]
    columns = {name: column for strategy in strategies for name, column in strategy.columns.items()}
    checks = [data.draw(entries(strategy)) for strategy in strategies]
    rows = data.draw(record_lists(**columns))
    spec = load_entries(checks)
    needs = frozenset().union(*(entry.needs for entry in spec))
    expected = verdicts_by_id(spec, to_batches(rows, needs))

    shuffled = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(rows)))))
    parts = [shuffled[low:high] for low, high in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    note(f"checks {checks}, parts of {[len(part) for part in parts]}")
    batches = [batch for part in parts if part for batch in to_batches(part, needs)]
    assert verdicts_by_id(spec, batches) == expected

    sliced = [
        TrajectoryBatch(batch.record_batch.slice(row, 1))
        for batch in to_batches(shuffled, needs)
        for row in range(len(batch))
    ]
    assert verdicts_by_id(spec, sliced) == expected
    assert all(
        verdict.code != AbstainCode.CHECK_CRASHED.name for by_id in expected for verdict in by_id.values()
    )


def test_every_twin_has_a_strategy() -> None:
    assert set(twins()) == set(check_strategies())
