"""Combinations of parts that say whatever they are told to, with any code there is."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.check import BaseCheck
from graders.checks.all_of import AllOf
from graders.checks.any_of import AnyOf
from graders.checks.at_least import AtLeast
from graders.families.combinations import Part
from graders.outcome import AbstainCode, Outcome
from graders.row_check import RowCheck, RowVerdict, Trajectory
from graders.scope import CheckEntry
from tests.columnar import Verdict, to_batches, verdicts_by_id

CODES = [code for code in AbstainCode if code is not AbstainCode.RUN_ERROR]
ANSWERS = st.one_of(
    st.sampled_from([Outcome.PASS, Outcome.FAIL]).flatmap(
        lambda outcome: st.builds(RowVerdict, st.just(outcome), event_index=st.sampled_from([None, 0, 1]))
    ),
    st.builds(RowVerdict, st.just(Outcome.ABSTAIN), st.just(""), st.sampled_from(CODES)),
)
SWAPPED = {Outcome.PASS: Outcome.FAIL, Outcome.FAIL: Outcome.PASS, Outcome.ABSTAIN: Outcome.ABSTAIN}


class _Says(RowCheck):
    """Say what it is told to."""

    type_name: ClassVar[str] = "says"
    answers: list[RowVerdict]
    number: int

    def grade(self, trajectory: Trajectory) -> RowVerdict:
        answer = self.answers[int(trajectory.trajectory_id)]
        return dataclasses.replace(answer, evidence=f"said by {self.number}")


def _part(number: int, answers: list[RowVerdict], *, negate: bool = False) -> Part:
    return Part(check=_Says(answers=answers, number=number), negate=negate)


def _verdicts(check: BaseCheck, n: int, **wrapper: Any) -> list[Verdict]:
    events = [{"type": "reasoning"}, {"type": "reasoning"}]
    rows = [{"trajectory_id": str(row), "events": events} for row in range(n)]
    entry = CheckEntry(0, None, check, **wrapper)
    (by_id,) = verdicts_by_id([entry], to_batches(rows, entry.needs))
    return [by_id[row["trajectory_id"]] for row in rows]


@given(data=st.data(), n_parts=st.integers(1, 4), n_rows=st.integers(1, 4), negate=st.booleans())
def test_three_valued_logic(data: st.DataObject, n_parts: int, n_rows: int, negate: bool) -> None:
    rows = [data.draw(st.lists(ANSWERS, min_size=n_parts, max_size=n_parts)) for _ in range(n_rows)]
    negated = data.draw(st.lists(st.booleans(), min_size=n_parts, max_size=n_parts))
    parts = [
        _part(number, [row[number] for row in rows], negate=negated[number]) for number in range(n_parts)
    ]
    needed = data.draw(st.integers(1, n_parts))
    checks = {n_parts: AllOf(checks=parts), 1: AnyOf(checks=parts), needed: AtLeast(checks=parts, n=needed)}
    for least, check in checks.items():
        for row, verdict in zip(rows, _verdicts(check, n_rows, negate=negate), strict=True):
            said = [
                SWAPPED[answer.outcome] if swap else answer.outcome
                for answer, swap in zip(row, negated, strict=True)
            ]
            outcome = _combined(said, least)
            decisive = said.index(outcome)
            code = row[decisive].code
            assert verdict.outcome == (SWAPPED[outcome] if negate else outcome).label
            assert verdict.code == (code.name if code else None)
            assert verdict.event_index == row[decisive].event_index
            assert verdict.evidence == f"part {decisive} (says): said by {decisive}"


def _combined(said: list[Outcome], needed: int) -> Outcome:
    """The verdict that all ways to settle the abstentions agree on, or an abstention."""
    passes, open_ends = said.count(Outcome.PASS), said.count(Outcome.ABSTAIN)
    possible = {passes + more >= needed for more in range(open_ends + 1)}
    if len(possible) == 2:
        return Outcome.ABSTAIN
    return Outcome.PASS if possible == {True} else Outcome.FAIL


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("negate", [False, True])
def test_every_code_comes_through(code: AbstainCode, negate: bool) -> None:
    good, bad = [RowVerdict(Outcome.PASS)], [RowVerdict(Outcome.FAIL)]
    unknown, other = (
        [RowVerdict(Outcome.ABSTAIN, "", code)],
        [RowVerdict(Outcome.ABSTAIN, "", AbstainCode.TIMEOUT)],
    )
    undecided = [
        AllOf(checks=[_part(0, good), _part(1, unknown, negate=True), _part(2, other)]),
        AnyOf(checks=[_part(0, bad), _part(1, unknown), _part(2, other)]),
        AtLeast(checks=[_part(0, good), _part(1, bad), _part(2, unknown), _part(3, other)], n=2),
        AllOf(checks=[Part(check=AnyOf(checks=[_part(0, bad), _part(1, unknown)]), negate=True)]),
    ]
    for check in undecided:
        assert [verdict.code for verdict in _verdicts(check, 1, negate=negate)] == [code.name]
    decided = [
        AllOf(checks=[_part(0, unknown), _part(1, bad)]),
        AnyOf(checks=[_part(0, unknown), _part(1, good)]),
    ]
    assert [_verdicts(check, 1)[0].outcome for check in decided] == ["fail", "pass"]


@given(data=st.data(), n_parts=st.integers(1, 3))
def test_the_negation_of_all_is_any_of_the_negations(data: st.DataObject, n_parts: int) -> None:
    answers = data.draw(st.lists(ANSWERS, min_size=n_parts, max_size=n_parts))
    plain = [_part(number, [answer]) for number, answer in enumerate(answers)]
    swapped = [_part(number, [answer], negate=True) for number, answer in enumerate(answers)]
    assert _verdicts(AllOf(checks=plain), 1, negate=True) == _verdicts(AnyOf(checks=swapped), 1)
    assert _verdicts(AnyOf(checks=plain), 1, negate=True) == _verdicts(AllOf(checks=swapped), 1)
    needed = data.draw(st.integers(1, n_parts))
    enough, too_few = AtLeast(checks=plain, n=needed), AtLeast(checks=swapped, n=n_parts - needed + 1)
    assert _verdicts(enough, 1, negate=True) == _verdicts(too_few, 1)
