"""Avro files: the same trajectories as from Parquet, whatever their writer calls the types."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import fastavro
import pytest

from tests.pipeline.conftest import ROWS, Command, verdicts
from tests.record_files import write_avro, write_parquet

RUN = ("run", "--spec", "spec.yaml", "--output", "out", "--input")


def _write(path: pathlib.Path, fields: dict[str, Any], *records: dict[str, Any]) -> None:
    named = [{"name": name, "type": kind} for name, kind in {"trajectory_id": "string", **fields}.items()]
    with path.open("wb") as file:
        fastavro.writer(
            file, fastavro.parse_schema({"type": "record", "name": "t", "fields": named}), records
        )


def _spec(*checks: dict[str, Any]) -> str:
    return json.dumps({"version": 1, "checks": list(checks)})


def test_avro_and_parquet_give_the_same_verdicts(work: pathlib.Path, gradebeam: Command) -> None:
    rows = [
        {**row, "tags": {"lang": "de"}, "reference": '{"answer":"done"}', "trial": at, "error": ""}
        for at, row in enumerate(ROWS)
    ]
    write_avro(work / "a.avro", rows, codec="deflate")
    write_parquet(work / "a.parquet", rows)
    answer = {"type": "outputMatches", "tags": {"lang": "de"}, "config": {"referencePath": "answer"}}
    (work / "spec.yaml").write_text(
        _spec(answer, {"type": "hasToolCall", "turn": 0, "config": {"tool": "save"}})
    )
    found = []
    for name in ("a.avro", "a.parquet"):
        assert gradebeam(*RUN, name, "--overwrite").code == 0
        found.append(verdicts(work / "out"))
    assert found[0] == found[1]
    assert len(found[0]) == 12


def test_a_chat_of_records_is_a_chat(work: pathlib.Path, gradebeam: Command) -> None:
    function = {
        "type": "record",
        "name": "f",
        "fields": [{"name": n, "type": "string"} for n in ("name", "arguments")],
    }
    call = {
        "type": "record",
        "name": "c",
        "fields": [{"name": "id", "type": "string"}, {"name": "function", "type": function}],
    }
    message = {
        "type": "record",
        "name": "m",
        "fields": [
            {"name": "role", "type": "string"},
            {"name": "content", "type": ["null", "string"]},
            {"name": "tool_calls", "type": ["null", {"type": "array", "items": call}]},
        ],
    }
    chat = [
        {"role": "user", "content": "go", "tool_calls": None},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "function": {"name": "save", "arguments": "{}"}}],
        },
        {"role": "assistant", "content": "all done", "tool_calls": None},
    ]
    _write(
        work / "a.avro",
        {"messages": {"type": "array", "items": message}},
        {"trajectory_id": "t", "messages": chat},
    )
    assert gradebeam(*RUN, "a.avro").code == 0
    assert [(row["outcome"], row["event_index"]) for row in verdicts(work / "out")] == [
        ("pass", 1),
        ("pass", None),
    ]


def test_texts_that_are_no_utf8_stop_nothing(work: pathlib.Path, gradebeam: Command) -> None:
    rows = [
        {
            "trajectory_id": "tQQQ",
            "output": "doneQQQ",
            "events": [{"type": "tool_call", "tool_name": "save"}],
        },
        {"trajectory_id": "t1", "output": "QQQ", "events": [{"type": "tool_call", "tool_name": "QQQ"}]},
    ]
    file = write_avro(work / "a.avro", rows)
    file.write_bytes(file.read_bytes().replace(b"QQQ", b"\xff\xa0\xbd"))
    assert gradebeam(*RUN, "a.avro").code == 0
    outcomes = [(row["trajectory_id"], row["outcome"]) for row in verdicts(work / "out")]
    assert outcomes == [("t1", "fail"), ("t\ufffd\ufffd\ufffd", "pass")] * 2


def test_times_are_times_however_they_are_written(work: pathlib.Path, gradebeam: Command) -> None:
    kinds: dict[str, Any] = {
        "micros": {"type": "long", "logicalType": "timestamp-micros"},
        "millis": {"type": "long", "logicalType": "timestamp-millis"},
        "plain": "long",
    }
    (work / "spec.yaml").write_text(_spec({"type": "wall-time", "config": {"max": "2s"}}))
    for name, kind in kinds.items():
        event = {
            "type": "record",
            "name": "e",
            "fields": [{"name": "type", "type": "string"}, {"name": "timestamp", "type": kind}],
        }
        unit = 1000 if name == "millis" else 1_000_000
        moments = [
            [{"type": "assistant_message", "timestamp": unit * second} for second in (5, 5 + length)]
            for length in (2, 3)
        ]
        records = [{"trajectory_id": f"t{at}", "events": events} for at, events in enumerate(moments)]
        _write(work / f"{name}.avro", {"events": {"type": "array", "items": event}}, *records)
        assert gradebeam(*RUN, f"{name}.avro", "--overwrite").code == 0
        assert [row["outcome"] for row in verdicts(work / "out")] == ["pass", "fail"], name


def test_a_value_that_python_does_not_have_costs_nothing(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "spec.yaml").write_text(_spec({"type": "wall-time", "config": {"max": "9000000000h"}}))
    kinds = {
        "far": {"type": "long", "logicalType": "timestamp-millis"},
        "day": {"type": "int", "logicalType": "date"},
        "id": {"type": "string", "logicalType": "uuid"},
    }
    event = {
        "type": "record",
        "name": "e",
        "fields": [
            {"name": "type", "type": "string"},
            {"name": "timestamp", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        ],
    }
    fields = {"events": {"type": "array", "items": event}, **kinds}
    ends = [{"type": "assistant_message", "timestamp": moment} for moment in (-(2**63), 2**63 - 1)]
    odd = {"far": 2**60, "day": 2**31 - 1, "id": "none"}
    records = [{"trajectory_id": f"t{at}", "events": ends[at:], **odd} for at in range(2)]
    _write(work / "a.avro", fields, *records)
    assert gradebeam(*RUN, "a.avro").code == 0
    assert [row["outcome"] for row in verdicts(work / "out")] == ["pass", "pass"]
    assert "18,446,744,073,709,551,615" in verdicts(work / "out")[0]["evidence"]


_EVENT = {
    "type": "map",
    "values": ["null", "string", "boolean", "long", "double", {"type": "array", "items": "long"}],
}
_MISFITS: dict[str, dict[str, Any]] = {
    "events[0]: expected a record": {"events": ["x"]},
    "events[0].turn": {"events": [{"turn": "1"}]},
    "events[1].turn": {"events": [{"turn": 1}, {"turn": True}]},
    "events[0].is_error": {"events": [{"is_error": 1}]},
    "events[0].timestamp": {"events": [{"timestamp": 1.5}]},
}


@pytest.mark.parametrize("place", _MISFITS)
def test_a_value_of_the_wrong_type_costs_its_row(work: pathlib.Path, gradebeam: Command, place: str) -> None:
    checks = [
        {"type": "wall-time", "config": {"max": "2s"}},
        {"type": "tool-error-rate", "turn": 0, "config": {"max": 1}},
    ]
    (work / "spec.yaml").write_text(_spec(*checks))
    events = {"type": "array", "items": ["string", _EVENT]}
    good = {"trajectory_id": "good", "events": [{"type": "tool_call", "turn": 0, "content": [1, 2]}]}
    _write(work / "a.avro", {"events": events}, {"trajectory_id": "bad", **_MISFITS[place]}, good)
    assert gradebeam(*RUN, "a.avro", "--max-quarantined", "0.5").code == 0
    (line,) = (work / "out" / "quarantine.jsonl").read_text().splitlines()
    assert json.loads(line)["reason"].startswith(place)
    assert {row["trajectory_id"] for row in verdicts(work / "out")} == {"good"}


@pytest.mark.parametrize(
    ("column", "value", "check"),
    [
        ("tags", 5, {"type": "hasToolCall", "tags": {"a": "b"}, "config": {"tool": "a"}}),
        ("metrics", "many", {"type": "token-budget", "config": {"max": 5}}),
        ("metrics", {"input_tokens": "many"}, {"type": "token-budget", "config": {"max": 5}}),
        ("files", {"path": "a"}, {"type": "file-exists", "config": {"path": "a"}}),
        ("files", ["a"], {"type": "file-exists", "config": {"path": "a"}}),
    ],
)
def test_a_column_of_the_wrong_type_costs_its_row(
    work: pathlib.Path, gradebeam: Command, column: str, value: Any, check: dict[str, Any]
) -> None:
    (work / "spec.yaml").write_text(_spec(check))
    kind = [
        "null",
        "long",
        "string",
        {"type": "map", "values": "string"},
        {"type": "array", "items": "string"},
    ]
    events = {"type": "array", "items": {"type": "map", "values": "string"}}
    bad, good = (
        {"trajectory_id": name, "events": [], column: item} for name, item in (("bad", value), ("good", None))
    )
    _write(work / "a.avro", {"events": events, column: kind}, bad, good)
    assert gradebeam(*RUN, "a.avro", "--max-quarantined", "0.5").code == 0
    (line,) = (work / "out" / "quarantine.jsonl").read_text().splitlines()
    assert json.loads(line)["reason"].startswith(column)


def test_a_schema_that_is_no_record_is_refused(work: pathlib.Path, gradebeam: Command) -> None:
    with (work / "a.avro").open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema({"type": "array", "items": "string"}), [["x"]])
    done = gradebeam(*RUN, "a.avro")
    assert done.code == 2
    assert "a.avro" in done.err
    assert "record" in done.err
