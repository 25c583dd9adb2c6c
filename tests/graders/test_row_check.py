"""Checks that judge one trajectory at a time: what becomes of their answers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from graders.outcome import AbstainCode, Outcome
from graders.row_check import RowVerdict, Trajectory
from graders.trajectory import FINAL_OUTPUT
from tests.graders.asking import Asks, verdicts_of

ACTIVE = {"trajectory_id": "t", "events": [{"type": "reasoning"}]}
ANSWERS: list[tuple[Any, tuple[Any, ...]]] = [
    (Outcome.PASS, ("pass", None, None, 1.0, "the check says pass")),
    (Outcome.FAIL, ("fail", None, None, 0.0, "the check says fail")),
    (Outcome.ABSTAIN, ("abstain", "NOT_APPLICABLE", None, None, "the check says abstain")),
    (RowVerdict(Outcome.PASS, "seen", event_index=0), ("pass", None, 0, 1.0, "seen")),
    (RowVerdict(Outcome.FAIL, "half", score=0.5), ("fail", None, None, 0.5, "half")),
    (
        RowVerdict(Outcome.ABSTAIN, "no", AbstainCode.MISSING_DATA),
        ("abstain", "MISSING_DATA", None, None, "no"),
    ),
    (
        RowVerdict(Outcome.ABSTAIN, "late", AbstainCode.TIMEOUT, score=0.3),
        ("abstain", "TIMEOUT", None, None, "late"),
    ),
]


@pytest.mark.parametrize(("answer", "expected"), ANSWERS)
def test_an_answer_becomes_a_verdict(answer: Any, expected: tuple[Any, ...]) -> None:
    assert verdicts_of(Asks(ask=lambda _: answer), [ACTIVE]) == [expected]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (RowVerdict(Outcome.PASS, "x", event_index=0, score=0.75), ("fail", None, 0, 0.25, "x")),
        (Outcome.FAIL, ("pass", None, None, 1.0, "the check says fail")),
        (Outcome.ABSTAIN, ("abstain", "NOT_APPLICABLE", None, None, "the check says abstain")),
    ],
)
def test_negation_swaps_an_answer(answer: Any, expected: tuple[Any, ...]) -> None:
    assert verdicts_of(Asks(ask=lambda _: answer), [ACTIVE], negate=True) == [expected]


@pytest.mark.parametrize("code", [AbstainCode.TIMEOUT, None])
def test_a_code_goes_with_abstentions_alone(code: AbstainCode | None) -> None:
    outcome = Outcome.PASS if code else Outcome.ABSTAIN
    with pytest.raises(ValueError, match="an abstention has a code"):
        RowVerdict(outcome, "x", code)


def test_the_rules_for_all_hold() -> None:
    rows = [
        {"trajectory_id": "nothing", "events": [{"type": "user_message"}]},
        {"trajectory_id": "null", "events": None},
        {"trajectory_id": "never", "events": [], "error": "no disk"},
    ]
    found = verdicts_of(Asks(ask=lambda _: Outcome.PASS), rows)
    assert [verdict.code for verdict in found] == ["NO_EVIDENCE", "MISSING_DATA", "RUN_ERROR"]
    assert [v.outcome for v in verdicts_of(Asks(ask=lambda _: Outcome.FAIL), rows)] == [
        "fail",
        "abstain",
        "abstain",
    ]


@pytest.fixture
def _quiet() -> Iterator[None]:
    """Crashes are meant here, so their tracebacks are not."""
    logger = logging.getLogger("graders.grading")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


@pytest.mark.usefixtures("_quiet")
def test_a_row_that_raises_costs_only_itself() -> None:
    def grade(trajectory: Trajectory) -> Outcome | RowVerdict:
        return RowVerdict(
            Outcome.PASS, "half", score={"0": 0.5, "1": 1.0, "3": 0.0}[trajectory.trajectory_id]
        )

    rows = [{**ACTIVE, "trajectory_id": str(at)} for at in range(4)]
    found = verdicts_of(Asks(ask=grade), rows)
    assert [(v.outcome, v.code, v.score) for v in found] == [
        ("pass", None, 0.5), ("pass", None, 1.0), ("abstain", "CHECK_CRASHED", None), ("pass", None, 0.0)
    ]  # fmt: skip
    assert found[2].evidence == "the check crashed: KeyError: '2'"


@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize("answer", [None, True, "pass", 0, 1.0])
def test_an_answer_that_is_none_is_a_crash(answer: Any) -> None:
    (verdict,) = verdicts_of(Asks(ask=lambda _: answer), [ACTIVE])
    assert verdict.code == "CHECK_CRASHED"
    assert repr(answer) in verdict.evidence


def test_a_check_on_the_output_alone_needs_no_events() -> None:
    class Speaks(Asks):
        reads: ClassVar[frozenset[str]] = frozenset({FINAL_OUTPUT})

    check = Speaks(ask=lambda t: Outcome.PASS if t.output == "x" else Outcome.FAIL)
    rows = [{"trajectory_id": "t", "events": None, "output": "x"}, {"trajectory_id": "u", "events": None}]
    assert [(v.outcome, v.code) for v in verdicts_of(check, rows)] == [
        ("pass", None),
        ("abstain", "MISSING_DATA"),
    ]
