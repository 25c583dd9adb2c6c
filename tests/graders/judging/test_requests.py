"""What is asked: the same by every path, a pure function of record, question, model and parameters."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from graders.grading import grade
from graders.judging.bench import Bench, RepliesByDigest, RequestNotes
from graders.judging.request import Judge, JudgeRequest
from graders.judging.vote import Reply, ReplyStatus
from tests.columnar import load_entries, to_batches, verdicts_by_id
from tests.record_columns import Row
from tests.strategies import records

JUDGES = (Judge("one", "m1", {"temperature": 0}), Judge("two", "m2"))
CHECK = {"type": "llmJudge", "config": {"rubric": "Kind?"}}
ROW: Row = {
    "trajectory_id": "t",
    "events": [
        {"type": "user_message", "content": "Hello"},
        {"type": "tool_call", "tool_name": "greet", "tool_call_id": "c", "arguments": '{"who":"you"}'},
        {"type": "tool_result", "tool_call_id": "c", "content": "greeted", "is_error": True},
        {"type": "token_usage", "data": "{}"},
        {"type": "assistant_message", "content": "Hello you"},
    ],
}


def asked(
    checks: list[dict[str, Any]], rows: list[Row], judges: tuple[Judge, ...] = JUDGES
) -> list[JudgeRequest]:
    """The distinct requests that the checks make about the rows."""
    notes = RequestNotes()
    entries = load_entries(checks)
    for batch in to_batches(rows, frozenset().union(*(entry.needs for entry in entries))):
        batch.bench = Bench(judges, notes)
        for _ in grade(entries, batch):
            pass
    return list(notes.values())


def test_a_request_holds_the_rubric_and_the_record() -> None:
    (request,) = asked([CHECK], [ROW])
    assert request.judge.name == "one"
    assert "Kind?" in request.system
    assert (
        '[1] tool_call greet:\n| {"who":"you"}\n[2] tool_result greet (failed):\n| greeted\n[4]'
        in request.user
    )
    assert "Kind?" not in request.user


def test_the_digest_is_of_model_messages_and_parameters() -> None:
    request = JudgeRequest(Judge("a", "m", {"temperature": 0}), "s", "u")
    assert JudgeRequest(Judge("b", "m", {"temperature": 0}), "s", "u").digest == request.digest
    others = [
        JudgeRequest(Judge("a", "n", {"temperature": 0}), "s", "u"),
        JudgeRequest(Judge("a", "m", {}), "s", "u"),
        JudgeRequest(Judge("a", "m", {"temperature": 1}), "s", "u"),
        JudgeRequest(Judge("a", "m", {"temperature": 0}), "s2", "u"),
        JudgeRequest(Judge("a", "m", {"temperature": 0}), "s", "u2"),
        JudgeRequest(Judge("a", "m", {"temperature": 0}), "su", ""),
    ]
    assert len({request.digest, *(other.digest for other in others)}) == 7
    assert JudgeRequest.decode(request.encode()) == request


def test_the_same_question_is_one_request() -> None:
    again = {**ROW, "trajectory_id": "u"}
    both = [CHECK, {**CHECK, "negate": True}, {"type": "all-of", "config": {"checks": [CHECK]}}]
    assert len(asked(both, [ROW, again])) == 1


def test_nothing_is_asked_where_the_record_decides() -> None:
    rows: list[Row] = [
        {"trajectory_id": "a", "events": None},
        {"trajectory_id": "b", "events": [], "error": "no machine"},
    ]
    assert asked([CHECK], rows) == []
    assert asked([{**CHECK, "samples": ["other"]}], [ROW]) == []


def test_a_turn_is_all_that_is_shown() -> None:
    (request,) = asked([{**CHECK, "turn": 1}], [ROW])
    assert "Hello" not in request.user
    assert "final output: none" in request.user


@pytest.mark.parametrize("reply", ['{"verdict": "pass"}', "?"])
@given(row=records.rows().map(lambda row: {**row, "trajectory_id": "t"}))
def test_what_is_looked_up_is_what_was_asked(reply: str, row: Row) -> None:
    checks: list[dict[str, Any]] = [
        CHECK,
        {**CHECK, "turn": -1},
        {"type": "panel", "config": {"models": ["m1", "two"], "aggregation": "min"}},
    ]
    replies = RepliesByDigest({r.digest: Reply(ReplyStatus.ANSWERED, reply) for r in asked(checks, [row])})
    entries = load_entries(checks)
    for batch in to_batches([row], frozenset().union(*(entry.needs for entry in entries))):
        batch.bench = Bench(JUDGES, replies)
        for by_id in verdicts_by_id(entries, [batch]):
            for verdict in by_id.values():
                assert verdict.code not in ("JUDGE_UNAVAILABLE", "CHECK_CRASHED"), verdict
