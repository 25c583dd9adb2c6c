"""JSON lines: the same trajectories as from Parquet, ids by line, and what cannot be read."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.pipeline.conftest import ROWS, SPEC, Command, manifest, verdicts
from tests.record_files import write_jsonl, write_parquet

CHAT = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "name": "save", "arguments": {"n": 1}}],
    },
    {"role": "assistant", "content": "all done"},
]


def _run(gradebeam: Command, name: str, *more: object) -> list[dict[str, object]]:
    done = gradebeam("run", "--spec", "spec.yaml", "--output", "out", "--overwrite", "--input", name, *more)
    assert done.code == 0, done.err
    return verdicts(pathlib.Path("out"))


def test_json_lines_and_parquet_give_the_same_verdicts(work: pathlib.Path, gradebeam: Command) -> None:
    rows = [
        {
            **row,
            "tags": {"lang": "de"},
            "reference": '{"answer":"done"}',
            "trial": at,
            "metrics": {"total_tokens": 5, "cost_usd": 0.5},
            "messages": None,
        }
        for at, row in enumerate(ROWS)
    ]
    checks = [
        *SPEC["checks"],
        {"type": "outputMatches", "tags": {"lang": "de"}, "config": {"referencePath": "answer"}},
        {"type": "token-budget", "config": {"max": 4}},
    ]
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": checks}))
    write_jsonl(work / "a.jsonl", rows)
    write_parquet(work / "a.parquet", rows)
    found = _run(gradebeam, "a.jsonl")
    assert found == _run(gradebeam, "a.parquet")
    assert len(found) == 24


def test_structured_values_are_compact_json_text(work: pathlib.Path, gradebeam: Command) -> None:
    arguments = {"type": "toolCallContains", "config": {"tool": "save", "arguments": {"n": 1}}}
    answer = {"type": "outputMatches", "config": {"referencePath": "answers[0]"}}
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": [arguments, answer]}))
    row = {
        "events": [
            {
                "type": "tool_call",
                "tool_name": "save",
                "arguments": {"n": 1},
                "timestamp": "2026-01-01T00:00:00Z",
            },
            {"type": "assistant_message", "content": "all done"},
        ],
        "reference": {"answers": ["done"]},
    }
    (work / "a.jsonl").write_text(json.dumps(row))
    assert [row["outcome"] for row in _run(gradebeam, "a.jsonl")] == ["pass", "pass"]


def test_a_line_is_a_record_a_chat_or_a_bare_list(work: pathlib.Path, gradebeam: Command) -> None:
    lines = [{"messages": CHAT}, CHAT, {"trajectory_id": "mine", "messages": json.dumps(CHAT)}]
    (work / "a.jsonl").write_bytes(
        b"\xef\xbb\xbf" + b"\r\n\r\n".join(json.dumps(line).encode() for line in lines) + b"\n"
    )
    found = _run(gradebeam, "a.jsonl")
    assert {row["outcome"] for row in found} == {"pass"}
    # Blank lines count as lines, so that an id is the number that an editor shows.
    assert sorted({row["trajectory_id"] for row in found}) == ["1", "3", "mine"]
    assert manifest(work / "out")["counts"]["trajectories"] == 3


def test_columns_map_keys(work: pathlib.Path, gradebeam: Command) -> None:
    lines = [{"id": 7, "chat": CHAT}, CHAT]
    (work / "a.data").write_text("\n".join(map(json.dumps, lines)))
    found = _run(gradebeam, "a.data", "--columns", "trajectory_id=id,messages=chat")
    assert {(row["trajectory_id"], row["outcome"]) for row in found} == {("7", "pass"), ("2", "pass")}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("oops", "line 2: not JSON"),
        ('{"messages": [}', "line 2: not JSON"),
        ("7", "line 2: expected a JSON object or a list of messages"),
        ('{"messages": 5}', "line 2: messages: expected a list"),
        ("[5]", "line 2: messages[0]: expected an object"),
        ('{"trial": "x", "messages": []}', "line 2: trial: expected int32"),
        ('{"trajectory_id": null, "messages": []}', "line 2: trajectory_id: null"),
    ],
)
def test_a_bad_line_goes_to_quarantine(
    work: pathlib.Path, gradebeam: Command, line: str, reason: str
) -> None:
    (work / "a.jsonl").write_text(f"{json.dumps(CHAT)}\n{line}\n{json.dumps(CHAT)}\n")
    found = _run(gradebeam, "a.jsonl", "--max-quarantined", 0.5)
    assert {row["trajectory_id"] for row in found} == {"1", "3"}
    (bad,) = map(json.loads, (work / "out" / "quarantine.jsonl").read_text().splitlines())
    assert (bad["file"], bad["row"], bad["rows"]) == ("a.jsonl", 1, 1)
    assert bad["reason"].startswith(reason)


def test_texts_that_are_no_utf8_are_graded(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "a.jsonl").write_bytes(
        json.dumps([*CHAT[:2]]).encode()[:-1] + b', {"role": "assistant", "content": "done \xff"}]\n'
    )
    assert [row["outcome"] for row in _run(gradebeam, "a.jsonl")] == ["pass", "pass"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": 1, "chat": []}\n', "no column events or messages; the file has id, chat"),
        ("oops\nmore", "no line is a JSON object or list"),
    ],
)
def test_a_file_without_runs_is_refused(
    work: pathlib.Path, gradebeam: Command, text: str, message: str
) -> None:
    (work / "a.jsonl").write_text(text)
    done = gradebeam("run", "--spec", "spec.yaml", "--output", "out", "--input", "a.jsonl")
    assert done.code == 2
    assert message in done.err
    assert not (work / "out").exists()


def test_a_column_that_no_line_has_is_refused(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "a.jsonl").write_text(json.dumps(CHAT))
    done = gradebeam(
        "run",
        "--spec",
        "spec.yaml",
        "--output",
        "out",
        "--input",
        "a.jsonl",
        "--columns",
        "reference=expected",
    )
    assert done.code == 2
    assert "no column 'expected' for reference" in done.err


def test_an_empty_file_holds_no_runs(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "a.jsonl").write_text("\n")
    assert _run(gradebeam, "a.jsonl") == []


def test_lines_of_several_files_have_ids_of_their_own(work: pathlib.Path, gradebeam: Command) -> None:
    for name in ("a/chats.jsonl", "b/chats.jsonl"):
        (work / "days" / name).parent.mkdir(parents=True)
        (work / "days" / name).write_text(
            f'{json.dumps(CHAT)}\n{{"trajectory_id": "{name}", "messages": []}}\n'
        )
    found = {row["trajectory_id"] for row in _run(gradebeam, "days")}
    assert found == {"a/chats.jsonl:1", "b/chats.jsonl:1", "a/chats.jsonl", "b/chats.jsonl"}
    assert manifest(work / "out")["duplicate_ids"]["distinct"] == 0
    assert "all done" in gradebeam("show", "out", "b/chats.jsonl:1").out
    # Whatever the directory that they share is called, and where the files stand.
    assert {row["trajectory_id"] for row in _run(gradebeam, work / "days" / "*" / "chats.jsonl")} == found
    (work / "days").rename(work / "other")
    assert {row["trajectory_id"] for row in _run(gradebeam, "other/a", "other/b/chats.jsonl")} == found
    # Beside files of other formats too; alone, the number is enough.
    beside = {row["trajectory_id"] for row in _run(gradebeam, "other/a", "runs")}
    assert {"other/a/chats.jsonl:1", "t0"} <= beside
    assert {row["trajectory_id"] for row in _run(gradebeam, "other/a")} == {"1", "a/chats.jsonl"}
