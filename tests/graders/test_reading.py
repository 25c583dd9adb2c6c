"""Turns, steps, answers, names, output and activity: the columns and the twin agree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from graders.arrays import to_texts
from graders.batch import TrajectoryBatch
from graders.trajectory import FINAL_OUTPUT
from tests.columnar import to_batches
from tests.record_columns import Row
from tests.reference import reading
from tests.strategies.corpus import corpus
from tests.strategies.records import record_lists

_NEEDS = frozenset(
    {FINAL_OUTPUT} | {f"events.{name}" for name in ("turn", "step", "tool_name", "tool_call_id", "content")}
)


def _columns(batch: TrajectoryBatch, row: int) -> dict[str, Any]:
    """What the columns say of one record of a batch; positions as indexes in the record."""
    events = batch.events
    low, high = int(events.offsets[row]), int(events.offsets[row + 1])
    names, _ = events.codes("tool_name")
    of_result = events.result_names()
    kinds = events.kinds[low:high]
    return {
        "turns": events.turns()[low:high].tolist(),
        "steps": [None if step < 0 else step for step in events.steps()[low:high].tolist()],
        "answers": {
            at: int(call) - low for at, call in enumerate(events.answers()[low:high].tolist()) if call >= 0
        },
        "names": {
            at: names[of_result[low + at]] if of_result[low + at] >= 0 else None
            for at, kind in enumerate(kinds.tolist())
            if kind == 5
        },
        "output": to_texts(batch.output.array)[row],
        "has_activity": bool(batch.has_activity()[row]),
        "last turn": _turn_view(batch, row, -1),
        "second turn": _turn_view(batch, row, 1),
    }


def _turn_view(batch: TrajectoryBatch, row: int, turn: int) -> tuple[str | None, bool, int]:
    part = batch.turn(turn)
    return to_texts(part.output.array)[row], bool(part.has_activity()[row]), int(part.calls().count()[row])


def _twin(row: Row) -> dict[str, Any]:
    whole = reading.View(row)
    turns = {"last turn": reading.View(row, -1), "second turn": reading.View(row, 1)}
    return {
        "turns": reading.turns_of(whole.all_events),
        "steps": reading.steps_of(whole.all_events),
        "answers": reading.answers_of(whole.all_events),
        "names": whole.result_names,
        "output": whole.output,
        "has_activity": whole.has_activity,
        **{
            name: (view.output, view.has_activity, len(view.of_type("tool_call")))
            for name, view in turns.items()
        },
    }


def _assert_agree(rows: list[Row]) -> None:
    (batch,) = to_batches([{"events": [], **row} for row in rows], _NEEDS)
    for at, row in enumerate(rows):
        assert _columns(batch, at) == _twin(row), row


@given(rows=record_lists())
def test_columns_read_as_the_twin_does(rows: list[Row]) -> None:
    _assert_agree(rows)


def test_columns_read_the_corpus_as_the_twin_does() -> None:
    _assert_agree(corpus())


def _events(text: str) -> list[dict[str, Any]]:
    """Events in short: `u`, `m`, `r`, a call `c:id:name` or a result `t:id:name`, each with `@step`."""
    kinds = {
        "u": "user_message",
        "m": "assistant_message",
        "r": "reasoning",
        "c": "tool_call",
        "t": "tool_result",
    }
    events: list[dict[str, Any]] = []
    for word in text.split():
        word, _, step = word.partition("@")  # noqa: PLW2901  (the rest of the word)
        kind, call_id, name = (*word.split(":"), "", "")[:3]
        events.append(
            {
                "type": kinds[kind],
                "tool_call_id": call_id,
                "tool_name": name,
                "step": int(step) if step else None,
            }
        )
    return events


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        pytest.param("c:1:a t:1", {1: 0}, id="by id"),
        pytest.param("c:1:a c:2:b t:2 t:1", {2: 1, 3: 0}, id="by id in another order"),
        pytest.param("t:1 c:1:a", {}, id="never before the call"),
        pytest.param("c:1:a t:1 t:1", {1: 0}, id="a call is answered once"),
        pytest.param("c:1:a t:9", {}, id="a dangling id answers nothing"),
        pytest.param("c:1:a c:2:b t", {2: 0}, id="no id and no name: the earliest of the latest step"),
        pytest.param("c:1:a u c:2:b t t", {3: 2, 4: 0}, id="the latest step first"),
        pytest.param("c:1:a c:2:b t::b", {2: 1}, id="no id: by name"),
        pytest.param("c:1:a t::z", {}, id="no id and a name that no call has"),
        pytest.param("c:1:a t:1:z", {1: 0}, id="with an id a wrong name is ignored"),
        pytest.param("c:1:a c:1:b t:1:b t:1:b", {2: 1, 3: 0}, id="one id: by name, then whatever is left"),
        pytest.param("c:1:a t:1 c:1:a t:1", {1: 0, 3: 2}, id="an id used again"),
        pytest.param("c:1:a u c:1:b t:1 t:1", {3: 2, 4: 0}, id="one id: the latest step first"),
        pytest.param("c:1:a@5 c:1:b@2 t:1", {2: 0}, id="the latest step by its number"),
        pytest.param("c:1:a@1 c:1:b t:1 t:1", {2: 0, 3: 1}, id="a call in no step comes last"),
        pytest.param("c::a c::b t:1", {}, id="a call without id is not found by one"),
        pytest.param("c:1:a c::b t", {2: 0}, id="a result without id takes calls with one too"),
    ],
)
def test_answers(text: str, answers: dict[int, int]) -> None:
    row: Row = {"trajectory_id": "t", "events": _events(text)}
    assert _twin(row)["answers"] == answers
    _assert_agree([row])


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("r m c c", [0, 0, 0, 0]),
        ("c m r c", [0, 0, 0, 0]),
        ("m m", [0, 1]),
        ("r m r m c", [0, 0, 0, 1, 1]),
        ("c t c t m", [0, None, 1, None, 2]),
        ("m u m", [0, None, 1]),
        ("c:1:a@7 c:2:b@3 t:1 m@7 r", [1, 0, None, 1, None]),
        ("t:1:a@4 c m", [None, None, None]),
    ],
)
def test_steps(text: str, steps: list[int | None]) -> None:
    row: Row = {"trajectory_id": "t", "events": _events(text)}
    assert _twin(row)["steps"] == steps
    _assert_agree([row])
