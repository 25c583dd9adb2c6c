"""The verdicts that reports show: the same few of each check, however a run came about."""

from __future__ import annotations

import json
import pathlib
import shutil
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.outcome import Outcome
from pipeline.outputs.example_chooser import most_examples
from pipeline.outputs.examples import (
    Example,
    Examples,
    ExampleSet,
    by_rank,
    encode_examples,
    read_examples,
)
from tests.pipeline.conftest import Command, verdicts
from tests.record_columns import Row
from tests.record_files import write_jsonl, write_parquet

CHECKS = [
    {"type": "hasToolCall", "config": {"tool": "find"}},
    {"type": "hasToolCall", "negate": True, "samples": ["s1*"], "config": {"tool": "find"}},
    {"type": "outputMatches", "config": {"referencePath": "answer"}},
    {"type": "token-budget", "config": {"max": 1}},
]
_SURROGATE = " \ud800"  # Which only JSON can hold.
ROWS: list[Row] = [
    {
        "trajectory_id": f"run {at}" + _SURROGATE * (at >= 250),
        "sample_id": f"s{at % 40}",
        "trial": at if at % 2 else None,
        "events": [
            {"type": "tool_call", "tool_name": "find" if at % 3 else "seek"},
            {"type": "assistant_message", "content": "done" + _SURROGATE * (at >= 250)},
        ],
        "reference": json.dumps({"answer": "no"}) if at % 4 else None,
    }
    for at in range(400)
]


@pytest.fixture
def work(work: pathlib.Path) -> pathlib.Path:
    """A directory with runs and a spec."""
    shutil.rmtree(work / "runs")
    write_parquet(work / "runs" / "a.parquet", ROWS[:250], row_group_size=30)
    write_jsonl(work / "runs" / "b.jsonl", ROWS[250:])
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": CHECKS}))
    return work


def _expected(output: pathlib.Path) -> dict[tuple[int, str], list[tuple[object, ...]]]:
    """What the verdict table says of the trajectories with the smallest hashes, row by row."""
    by_cell: dict[tuple[int, str], list[tuple[object, ...]]] = {}
    for row in verdicts(output):
        if row["outcome"] != "pass":
            rank = zlib.crc32(row["trajectory_id"].encode())
            shown = (rank, row["trajectory_id"], row["evidence"], row["code"] or "", row["sample_id"])
            by_cell.setdefault((row["spec_index"], row["outcome"]), []).append(shown)
    most = {outcome.label: n for outcome, n in most_examples(len(CHECKS)).items()}
    return {cell: sorted(rows)[: most[cell[1]]] for cell, rows in sorted(by_cell.items())}


def _found(examples: Examples) -> dict[tuple[int, str], list[tuple[object, ...]]]:
    return {
        cell: [(each.rank, each.trajectory_id, each.evidence, each.code, each.sample_id) for each in listed]
        for cell, listed in examples.items()
    }


@pytest.mark.parametrize("workers", [1, 2])
def test_they_have_the_smallest_hashes(work: pathlib.Path, gradebeam: Command, workers: int) -> None:
    flags = ("--spec", "spec.yaml", "--input", "runs", "--output", "out", "--workers", workers)
    done = gradebeam("run", *flags)
    assert done.code == 0, done.err
    found = read_examples("out")
    assert _found(found) == _expected(work / "out")
    assert {cell: len(listed) for cell, listed in found.items()} == {
        (0, "fail"): 25,
        (1, "fail"): 25,
        (2, "abstain"): 5,
        (2, "fail"): 25,
        (3, "abstain"): 5,
    }
    assert (work / "out" / "examples.json").read_bytes() == encode_examples(found)


def test_a_run_without_them_must_be_graded_again(work: pathlib.Path, gradebeam: Command) -> None:
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out").code == 0
    (work / "out" / "examples.json").unlink()
    done = gradebeam("report", "out")
    assert done.code == 2
    assert "grade again" in done.err


def test_many_checks_have_fewer_each() -> None:
    assert most_examples(1) == {Outcome.FAIL: 25, Outcome.ABSTAIN: 5}
    assert most_examples(1000) == {Outcome.FAIL: 5, Outcome.ABSTAIN: 1}
    assert most_examples(100_000) == {Outcome.FAIL: 2, Outcome.ABSTAIN: 1}


def _example(rank: int, id_: str = "") -> Example:
    return Example(rank, id_, "", -1, "", "", -1, -1)


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=6), st.randoms())
def test_order_and_grouping_make_no_difference(groups: list[list[int]], draw) -> None:
    def merged(parts: list[list[int]]) -> ExampleSet:
        whole = ExampleSet(4, ())
        for part in parts:
            whole = whole.merge(ExampleSet(4, tuple(sorted(map(_example, part))[:4])))
        return whole

    ranks = [rank for group in groups for rank in group]
    expected = ExampleSet(4, tuple(map(_example, sorted(ranks)[:4])))
    assert merged(groups) == merged([ranks]) == expected
    assert merged(draw.sample(groups, len(groups))) == expected


def test_the_first_of_each_check_come_first() -> None:
    examples = {(0, "fail"): [_example(1), _example(2)], (1, "fail"): [_example(0, "x")]}
    assert by_rank(examples) == [_example(1), _example(0, "x"), _example(2)]
