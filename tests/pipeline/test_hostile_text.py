"""Nothing of the data acts on a terminal: whatever a command prints holds no character that cannot be seen."""

from __future__ import annotations

import json
import pathlib

import pytest

from pipeline.outputs.visible_text import visible
from tests.pipeline.conftest import Command

ESCAPES = "\x1b[31mred\x1b[0m\x1b]8;;http://a.example\x07"
HOSTILE = f"{ESCAPES}\rover\x08\u202edetrevni\u2066\u200b\x9b2J[bold]"


@pytest.fixture
def hostile(work: pathlib.Path) -> pathlib.Path:
    """Runs, a spec and a job, all of whose texts are hostile."""
    rows = [
        {
            "trajectory_id": f"{at}{HOSTILE}",
            "sample_id": HOSTILE,
            "tags": {"k": HOSTILE},
            "output": f"says {HOSTILE}",
            "events": [
                {"type": "user_message", "content": f"go\n{HOSTILE}\u2028"},
                {"type": f"x-{HOSTILE}", "name": HOSTILE, "data": json.dumps(HOSTILE)},
                {"type": "tool_call", "tool_name": HOSTILE, "arguments": json.dumps({"a": HOSTILE})},
                {"type": "tool_result", "tool_name": HOSTILE, "content": f"<{HOSTILE}>"},
                {"type": "assistant_message", "content": "nothing"},
            ],
        }
        for at in range(3)
    ]
    (work / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "oops\x1b[2J\n")
    checks = [
        {"type": "outputMatches", "name": HOSTILE, "config": {"value": HOSTILE.upper()}},
        {
            "type": "assistant-contains-tool-output",
            "name": "echoes",
            "config": {"tools": [HOSTILE], "pattern": "(?s)<(.*)>"},
        },
        {"type": "hasToolCall", "config": {"tool": f"never {HOSTILE}"}},
    ]
    gates = [{"name": f"gate {HOSTILE}", "check": HOSTILE, "slice": "tags.k", "min_pass_rate": 1}]
    spec = {"version": 1, "name": HOSTILE, "checks": checks, "gates": gates}
    (work / "spec.yaml").write_text(json.dumps(spec))
    (work / "bad.yaml").write_text(json.dumps({"version": 1, "checks": [{"type": HOSTILE, HOSTILE: 1}]}))
    return work


def test_no_command_prints_what_cannot_be_seen(hostile: pathlib.Path, gradebeam: Command) -> None:
    many = ("--max-quarantined", "1")
    grade = ("run", "--spec", "spec.yaml", "--input", "runs.jsonl", *many, "--slice", "tags.k")
    id_ = f"1{HOSTILE}"
    for arguments, code, told in (
        ((*grade, "--output", "base"), 1, "echoes"),
        ((*grade, "--output", "out", "--baseline", "base"), 1, "echoes"),
        (("grade", "runs.jsonl", "spec.yaml", *many), 1, r"\u001b[31mred"),
        (("grade", "runs.jsonl", "spec.yaml"), 3, "runs.jsonl"),
        (("show", "out", id_), 0, r"\u202edetrevni"),
        (("show", "out", f"{id_}x"), 2, "did you mean"),
        (("runs", "."), 0, "out"),
        (("compare", "base", "out"), 0, "echoes"),
        (("gate", "out", "--spec", "spec.yaml"), 1, r"gate \u001b"),
        (("validate", "spec.yaml", "-v"), 0, "good"),
        (("validate", "bad.yaml"), 2, "bad.yaml"),
        (("lint", "spec.yaml", "--data", "out/../runs.jsonl"), 0, "1 finding\n"),
        (("report", "out"), 0, "written"),
        (("show", "out", id_, "--check", "9"), 2, "it has 0 "),
    ):
        done = gradebeam(*arguments)
        assert done.code == code, (arguments, done)
        said = done.out + done.err
        assert told in said, (arguments, said)
        assert visible(said) == said, arguments
