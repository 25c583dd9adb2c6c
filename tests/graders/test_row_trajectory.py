"""Checks that judge one trajectory at a time: what they see of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.batch import TrajectoryBatch
from graders.outcome import Outcome
from graders.row_check import Trajectory
from tests.graders.asking import Asks, AsksLittle, seen_by, verdicts_of
from tests.record_columns import Row
from tests.reference import json_values
from tests.reference.reading import View, turns_of
from tests.strategies.corpus import corpus
from tests.strategies.records import record_lists

EVENTS = [
    {"type": "user_message", "content": "One."},
    {"type": "tool_call", "tool_name": "find", "tool_call_id": "1", "arguments": '{"q":"x"}', "step": 4},
    {"type": "tool_result", "tool_call_id": "1", "content": "7", "is_error": False},
    {"type": "assistant_message", "content": "It is 7.", "step": 9},
    {"type": "user_message", "content": "Two."},
    {"type": "tool_call", "tool_name": "open", "arguments": "{", "step": 12},
    {"type": None},
]


def _facts(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    return [
        (event.index, event.type, event.turn, event.step, event.tool_name, event.content, event.is_error)
        for event in trajectory.events
    ]


def test_events_are_read_by_the_rules() -> None:
    assert seen_by({"events": EVENTS}, _facts) == [
        (0, "user_message", 0, None, None, "One.", None),
        (1, "tool_call", 0, 0, "find", None, None),
        (2, "tool_result", 0, None, "find", "7", False),
        (3, "assistant_message", 0, 1, None, "It is 7.", None),
        (4, "user_message", 1, None, None, "Two.", None),
        (5, "tool_call", 1, 2, "open", None, None),
        (6, "", 1, None, None, None, None),
    ]


def test_a_slice_has_its_own_events_output_and_steps() -> None:
    row = {"events": EVENTS, "output": "all of it"}
    assert [fact[:4] for fact in seen_by(row, _facts, turn=1)] == [
        (4, "user_message", 1, None), (5, "tool_call", 1, 0), (6, "", 1, None)
    ]  # fmt: skip
    assert seen_by(row, lambda t: t.output, turn=0) == "It is 7."
    assert seen_by(row, lambda t: t.output, turn=1) is None
    assert seen_by(row, lambda t: t.output) == "all of it"
    assert seen_by(row, _facts, turn=5) == []


def test_events_come_by_kind() -> None:
    def kinds(trajectory: Trajectory) -> list[list[int]]:
        groups = (
            trajectory.calls,
            trajectory.results,
            trajectory.messages,
            trajectory.of_type("user_message"),
        )
        return [[event.index for event in group] for group in groups]

    assert seen_by({"events": EVENTS}, kinds) == [[1, 5], [2], [3], [0, 4]]


def test_arguments_are_parsed_when_asked_for() -> None:
    assert seen_by({"events": EVENTS}, lambda t: [call.parsed_arguments() for call in t.calls]) == [
        {"q": "x"},
        None,
    ]
    none = [{"type": "tool_call", "arguments": text} for text in (None, "", "null", "{}")]
    assert seen_by({"events": none}, lambda t: [call.parsed_arguments() for call in t.calls]) == [{}] * 4


def test_other_columns_are_there() -> None:
    row = {
        "events": [],
        "sample_id": "s",
        "trial": 3,
        "tags": {"k": "v"},
        "reference": '{"answer":[1.0]}',
        "metadata": "3",
        "metrics": {"input_tokens": 5},
        "files": [{"path": "a", "content": "x"}, None],
        "artifacts": {"m.json": "{}"},
        "diff": "+x",
    }

    def all_of_it(t: Trajectory) -> list[Any]:
        files, artifacts = t.column("files"), dict(t.column("artifacts"))
        named = [t.trajectory_id, t.sample_id, t.trial, t.tags, t.reference, t.metadata]
        return [*named, t.column("metrics")["input_tokens"], files[0]["path"], artifacts, t.column("diff")]

    expected = ["t", "s", 3, {"k": "v"}, {"answer": [1.0]}, 3, 5, "a", {"m.json": "{}"}, "+x"]
    assert seen_by(row, all_of_it) == expected


def test_absent_columns_are_none() -> None:
    def all_of_it(t: Trajectory) -> list[Any]:
        return [t.sample_id, t.trial, t.tags, t.output, t.reference, t.metadata, t.column("files"), t.events]

    assert seen_by({"events": []}, all_of_it) == ["t", None, {}, None, None, None, None, []]


@pytest.mark.parametrize("text", ["", "{", "NaN", None])
def test_what_is_no_json_is_none(text: str | None) -> None:
    row = {"events": [], "reference": text, "metadata": text}
    assert seen_by(row, lambda t: (t.reference, t.metadata)) == (None, None)


def test_broken_text_is_seen_as_it_is() -> None:
    row = {
        "events": [{"type": "assistant_message", "content": "x\ud835"}],
        "tags": {"k": "\ud835"},
        "files": [{"path": "a", "content": "\ud835"}],
    }

    def all_of_it(t: Trajectory) -> list[Any]:
        return [t.output, t.messages[0].content, t.tags, t.column("files")[0]["content"]]

    assert seen_by(row, all_of_it) == ["x\ud835", "x\ud835", {"k": "\ud835"}, "\ud835"]


def test_a_time_that_python_lacks_costs_nothing() -> None:
    message = {"type": "assistant_message", "content": "x", "timestamp": 2**60}  # us, in the year 38505
    assert seen_by({"events": [message]}, lambda t: t.messages[0].content) == "x"


def test_fields_that_are_not_read_are_none() -> None:
    facts = seen_by(
        {"events": EVENTS}, lambda t: [(e.type, e.tool_name, e.content, e.step) for e in t.calls], AsksLittle
    )
    assert facts == [("tool_call", "find", None, None), ("tool_call", "open", None, None)]


def test_columns_are_turned_into_values_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    column = TrajectoryBatch.column

    def spy(self: TrajectoryBatch, name: str) -> Any:
        asked.append(name)
        return column(self, name)

    class Trusting(Asks):
        def verdicts(self, batch: TrajectoryBatch) -> Any:
            monkeypatch.setattr(TrajectoryBatch, "column", spy)
            try:
                return super().verdicts(batch)
            finally:
                monkeypatch.undo()

    rows = [{"trajectory_id": str(at), "events": EVENTS, "tags": {"k": "v"}} for at in range(3)]
    verdicts_of(Trusting(ask=lambda _: Outcome.PASS), rows)
    assert asked == []
    verdicts_of(Trusting(ask=lambda t: Outcome.PASS if t.tags and t.tags else Outcome.FAIL), rows)
    assert asked == ["tags"], "once for the whole batch"


def _expected_facts(row: Row, turn: int | None) -> list[tuple[Any, ...]]:
    view = View(row, turn)
    turns = turns_of(view.all_events)
    return [
        (
            at,
            event.get("type") or "",
            turns[at],
            view.steps.get(at),
            (view.result_names[at] if event.get("type") == "tool_result" else event.get("tool_name")) or None,
            event.get("content"),
            event.get("is_error"),
        )
        for at, event in view.events
    ]


def _assert_seen_as_by_the_twin(rows: list[Row], turn: int | None) -> None:
    seen: dict[str, Any] = {}

    def grade(trajectory: Trajectory) -> Outcome:
        arguments = [call.parsed_arguments() for call in trajectory.calls]
        seen[trajectory.trajectory_id] = (_facts(trajectory), trajectory.output, arguments)
        return Outcome.FAIL

    verdicts_of(Asks(ask=grade), rows, turn=turn)
    for row in rows:
        facts, output, arguments = seen[row["trajectory_id"]]
        view = View(row, turn)
        assert facts == _expected_facts(row, turn), row
        assert output == view.output, row
        for (_, call), parsed in zip(view.of_type("tool_call"), arguments, strict=True):
            expected = json_values.arguments(call.get("arguments"))
            assert parsed is None if expected is json_values.BAD else json_values.is_equal(expected, parsed)


@given(rows=record_lists(), turn=st.sampled_from([None, None, 0, 1, -1, 7]))
def test_a_trajectory_is_read_as_by_the_twin(rows: list[Row], turn: int | None) -> None:
    _assert_seen_as_by_the_twin(rows, turn)


@pytest.mark.parametrize("turn", [None, 0, 1, -1])
def test_the_corpus_is_read_as_by_the_twin(turn: int | None) -> None:
    _assert_seen_as_by_the_twin(corpus(), turn)
