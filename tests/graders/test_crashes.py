"""A check that crashes costs exactly the records that make it crash."""

from __future__ import annotations

import logging
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.arrays import to_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, ListedTool
from graders.scope import CheckEntry
from graders.trajectory import FINAL_OUTPUT
from graders.verdicts import Evidence, Verdicts
from tests.columnar import Verdict, to_batches, verdicts_by_id

pytestmark = pytest.mark.usefixtures("_quiet")


@pytest.fixture(scope="module")
def _quiet():
    """The tracebacks are asked for once, below."""
    logger = logging.getLogger("graders.grading")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


class _CrashesOn(Check):
    """Pass when the output holds no x; crash where it is `boom`."""

    type_name: ClassVar[str] = "crashes-on"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({FINAL_OUTPUT, "events.tool_name"})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:
        outputs = to_texts(batch.output.array)
        if "boom" in outputs:
            raise IndexError("list index out of range")
        return Verdicts.decide(
            np.array(["x" not in (output or "") for output in outputs], np.bool_),
            Evidence.each([f"output {output!r}" for output in outputs]),
        )


OUTPUTS = st.lists(st.sampled_from(["ok", "x", "boom", "boom"]), min_size=1, max_size=20)


def _grade(outputs: list[str], **wrapper: object) -> list[Verdict]:
    rows = [{"trajectory_id": str(at), "output": output, "events": []} for at, output in enumerate(outputs)]
    entry = CheckEntry(0, None, _CrashesOn(), **wrapper)
    (by_id,) = verdicts_by_id([entry], to_batches(rows, entry.needs))
    return [by_id[row["trajectory_id"]] for row in rows]


@given(outputs=OUTPUTS, negate=st.booleans())
def test_exactly_the_culprits_crash(outputs: list[str], negate: bool) -> None:
    for output, verdict in zip(outputs, _grade(outputs, negate=negate), strict=True):
        if output == "boom":
            assert verdict[:4] == ("abstain", "CHECK_CRASHED", None, None)
            assert "IndexError: list index out of range" in verdict.evidence
        else:
            assert verdict.outcome == ("pass" if (output == "ok") != negate else "fail")
            assert verdict.evidence == f"output {output!r}"


def test_other_entries_go_on() -> None:
    rows = [{"trajectory_id": "t", "output": "boom", "events": []}]
    entries = [CheckEntry(0, None, _CrashesOn()), CheckEntry(1, None, _SaysNothing())]
    crashed, other = verdicts_by_id(entries, to_batches(rows, entries[0].needs))
    assert crashed["t"].code == "CHECK_CRASHED"
    assert other["t"].outcome == "fail"


def test_the_traceback_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "graders.grading"):
        _grade(["ok", "boom"])
    assert "crashes-on" in caplog.text
    assert "IndexError: list index out of range" in caplog.text


class _SaysNothing(Check):
    """Pass never."""

    type_name: ClassVar[str] = "says-nothing"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset()

    def grade(self, batch: TrajectoryBatch) -> Verdicts:
        return Verdicts.decide(np.zeros(len(batch), np.bool_), Evidence.constant(len(batch), "no"))


class _MatcherCrashes(_SaysNothing):
    """Pass never; list a tool whose matcher crashes."""

    type_name: ClassVar[str] = "matcher-crashes"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"events.tool_name"})

    def listed_tools(self) -> list[ListedTool]:
        return [ListedTool("a", _raise)]


def _raise(name: str) -> bool:
    raise TimeoutError(name)


def test_a_matcher_of_tools_that_crashes_does_not_end_the_run() -> None:
    rows = [{"trajectory_id": "t", "events": [{"type": "tool_call", "tool_name": "a"}]}]
    entry = CheckEntry(0, None, _MatcherCrashes())
    (by_id,) = verdicts_by_id([entry], to_batches(rows, entry.needs))
    assert by_id["t"].outcome in ("fail", "abstain")
