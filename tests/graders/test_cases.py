"""Each case of `tests/cases`, graded directly: by the columns, and by the twin."""

from __future__ import annotations

import sys

import pytest

from graders.catalog import check_types
from tests.case_files import Expectation, all_cases
from tests.columnar import Verdict, grade_rows
from tests.reference.catalog import twins
from tests.reference.verdict import judge

CASES = {case.name: case for case in all_cases()}


@pytest.fixture(autouse=True)
def _short_limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches of the cases that run into their limit end soon: what comes of it is tested, not the limit."""
    case = CASES.get(getattr(request.node, "callspec", None) and request.node.callspec.params.get("name"))
    if case is not None and any(expected.code == "TIMEOUT" for expected in case.expectations):
        for name in [name for name in sys.modules if name.startswith(("graders.", "tests.reference."))]:
            if hasattr(sys.modules[name], "SECONDS_PER_TEXT"):
                monkeypatch.setattr(sys.modules[name], "SECONDS_PER_TEXT", 0.1)


@pytest.mark.parametrize("name", CASES)
def test_columns_give_the_verdict(name: str) -> None:
    case = CASES[name]
    graded = grade_rows(case.check, case.rows(), case.bench)
    for number, (verdict, expected) in enumerate(zip(graded, case.expectations, strict=True)):
        assert _differences(verdict, expected) == {}, f"record {number}: {verdict}"


@pytest.mark.parametrize(
    "name",
    [
        case.name
        for case in CASES.values()
        if case.is_in_events and case.replies is None and case.check_type in twins()
    ],
)
def test_twin_gives_the_verdict(name: str) -> None:
    case = CASES[name]
    for row, expected in zip(case.rows(), case.expectations, strict=True):
        said = judge(case.check, row)
        seen = None if said is None else (said.outcome.label, said.code and said.code.name)
        assert seen == (None if expected.outcome == "none" else (expected.outcome, expected.code)), row
        if said is not None and "event_index" in expected.fields:
            assert said.event_index == expected.event_index


def test_names_are_unique() -> None:
    assert len(CASES) == len(all_cases())


@pytest.mark.parametrize("check_type", check_types())
def test_every_type_has_a_case_for_each_outcome(check_type: str) -> None:
    seen = {
        expected.outcome
        for case in CASES.values()
        if case.check_type == check_type
        for expected in case.expectations
    }
    assert seen >= {"pass", "fail", "abstain"}


def _differences(verdict: Verdict | None, expected: Expectation) -> dict[str, object]:
    """What the verdict has otherwise than was expected."""
    if verdict is None:
        return {} if expected.outcome == "none" else {"outcome": "none"}
    wrong = {
        key: getattr(verdict, key) for key, value in expected.fields.items() if getattr(verdict, key) != value
    }
    if expected.outcome != "abstain" and verdict.code is not None:
        wrong["code"] = verdict.code
    if expected.evidence is not None and expected.evidence not in verdict.evidence:
        wrong["evidence"] = verdict.evidence
    return wrong
