"""The tables of a small run are those that were read and approved."""

from __future__ import annotations

import collections
import json
from typing import Any

import pytest

from graders.outcome import Outcome
from tests.golden_run import DIRECTORY, FILES, SPEC, rows, run
from tests.golden_steps import STEPS
from tests.reference.verdict import judge


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a run of today gives."""
    return run(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_as_it_was(written: dict[str, bytes], name: str) -> None:
    expected = (DIRECTORY / name).read_bytes().decode()
    assert written[name].decode() == expected, "if this is meant: python -m tests.rewrite_golden"


def test_nothing_else_is_kept() -> None:
    assert sorted(path.name for path in DIRECTORY.iterdir()) == sorted([*FILES, STEPS.name, "dataflow.json"])


def _whole(summary: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows over all trajectories."""
    return [row for row in summary if not row["slice_key"]]


def test_the_golden_run_shows_every_outcome() -> None:
    summary = _whole(json.loads((DIRECTORY / "summary.json").read_text(encoding="utf-8")))
    assert len(summary) == len(SPEC["checks"])
    assert all(
        any(row[name] for row in summary) for name in ("passed", "failed", "abstained", "never_seen_tools")
    )
    codes = {code for row in summary for code in row["abstain_reasons"]}
    assert codes == {"RUN_ERROR", "MISSING_DATA", "SETUP_INVALID", "NO_EVIDENCE"}
    assert {row["total"] for row in summary} >= {0, len(rows())}


def test_the_golden_run_counts_what_the_twin_counts() -> None:
    summary = _whole(json.loads((DIRECTORY / "summary.json").read_text(encoding="utf-8")))
    for check, counted in zip(SPEC["checks"], summary, strict=True):
        said = [verdict for row in rows() if (verdict := judge(check, row)) is not None]
        outcomes = [verdict.outcome for verdict in said]
        codes = collections.Counter(verdict.code.name for verdict in said if verdict.code)
        assert (counted["passed"], counted["failed"]) == (
            outcomes.count(Outcome.PASS),
            outcomes.count(Outcome.FAIL),
        )
        assert counted["abstain_reasons"] == dict(codes)
        assert counted["total"] == len(said)
        matches = [verdict.counts for verdict in said if verdict.counts]
        sums = tuple(map(sum, zip(*matches, strict=True))) or (None, None, None)
        assert (counted["matched"], counted["actual"], counted["reference"]) == sums
