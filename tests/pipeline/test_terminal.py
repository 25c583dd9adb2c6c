"""What commands print: names whole, counts with their nouns, bounded lists, and what to do next."""

from __future__ import annotations

import io
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from pipeline.commands.lines import print_table
from pipeline.outputs.gate_results import GateResult
from pipeline.outputs.render.gates import gates_lines
from pipeline.outputs.render.name import Name
from pipeline.outputs.render.slices import worst_cells
from pipeline.outputs.render.table import console_table, plain_table
from pipeline.plurals import counted
from tests.pipeline.conftest import ROWS, SPEC, Command
from tests.record_columns import to_bytes_table
from tests.record_files import write_parquet

TYPES = ("assistant-contains-tool-output", "argument-from-result", "toolCallContains")


def _row(name: str, passed: int, failed: int, **more: Any) -> dict[str, Any]:
    """A row of the summary."""
    decided = passed + failed
    return {
        "spec_index": 0,
        "check_name": name,
        "check_type": "hasToolCall",
        "advisory": False,
        "passed": passed,
        "failed": failed,
        "abstained": 0,
        "abstain_reasons": {},
        "pass_rate": passed / decided if decided else None,
        "wilson_low": 0.0,
        "wilson_high": (passed + 1) / (decided + 1),
        "slice_key": "",
        "slice_value": "",
        **more,
    }


def _printed(renderable: Any, width: int = 80) -> list[str]:
    shown = io.StringIO()
    Console(file=shown, width=width).print(renderable)
    return [line.rstrip() for line in shown.getvalue().splitlines()]


@pytest.mark.parametrize("name", TYPES)
def test_names_are_whole_at_80_columns(name: str) -> None:
    reasons = {"MISSING_DATA": 1234, "SETUP_INVALID": 56}
    lines = _printed(console_table([_row(name, 10_000, 2_000, abstain_reasons=reasons)]))
    assert max(map(len, lines)) <= 80
    assert any(f" {name} " in line for line in lines)
    assert any(line.strip() == "MISSING_DATA 1,234" or "MISSING_DATA 1,234, SETUP" in line for line in lines)


def test_long_names_are_folded_where_they_have_joints() -> None:
    names = ["never-asks-twice_for.the same/thing-again", "x" * 70, "short"]
    lines = _printed(console_table([_row(name, 1_000_000, 1_000_000) for name in names]))
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    pieces = re.findall(r"[a-z]+[-_./]?", names[0])
    assert all(piece in text for piece in pieces)
    assert text.count("x") >= 70


def test_a_name_is_never_taken_for_markup_or_a_control_sequence() -> None:
    table = plain_table()
    table.add_column("check")
    table.add_row(Name("[red]a[/red] \x1b[31mb"))
    assert r"[red]a[/red] \u001b[31mb" in "\n".join(_printed(table))


def test_the_worst_cells_are_shown_and_the_others_counted() -> None:
    cells = [_row("a", at, 40 - at, slice_key="model", slice_value=f"m{at}") for at in range(40)]
    cells.append(_row("b", 0, 0, slice_key="model", slice_value=""))
    title, table = worst_cells(cells)
    assert title == "slices: the 10 worst cells of 41, each a check in a slice; the summary has all"
    shown = [match[0] for line in _printed(table) if (match := re.search(r"model = \S+", line))]
    assert shown == [f"model = m{at}" for at in range(10)]
    title, table = worst_cells(cells[:3])
    assert title == "slices, the worst first:"


def test_an_empty_slice_value_is_told_from_a_missing_one() -> None:
    _, table = worst_cells(
        [_row("a", 1, 1, slice_key="model", slice_value=value) for value in ("", "(none)")]
    )
    shown = [match[0] for line in _printed(table) if (match := re.search(r"model = \S+", line))]
    assert shown == ['model = ""', "model = (none)"]


def test_of_many_gates_those_that_are_not_met_come_first() -> None:
    def result(at: int) -> GateResult:
        return GateResult(
            at, f"gate {at}", "all checks", "", "", "max_fail", 0, 0, at % 30 > 0, "why", "job.yaml:1"
        )

    lines = [line.plain for line in gates_lines(list(map(result, range(60))))]
    assert lines[0] == "gates: 60 limits, 2 not met"
    assert [line.split(",")[0].strip() for line in lines[1:3]] == [
        "✘ gate 0 (max_fail)",
        "✘ gate 30 (max_fail)",
    ]
    assert lines[-1].strip() == "… and 20 more"
    assert len(lines) == 42


def test_a_run_ends_with_what_to_do_next(work: pathlib.Path, gradebeam: Command) -> None:
    checks = [{"type": "hasToolCall", "name": f"calls {name}", "config": {"tool": name}} for name in "abcde"]
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "name": "five", "checks": checks}))
    flags = ("--input", "runs", "--output", "out", "--slice", "sample_id")
    done = gradebeam("run", "--spec", "spec.yaml", *flags)
    assert done.code == 0
    worst = re.findall(r"^✘ (.*?) failed 6 of 6, such as t\d: (.*)$", done.out, re.MULTILINE)
    assert worst == [(f"calls {name}", f'"{name}" was never called') for name in "abc"]
    assert "… and 2 more checks with failures\n" in done.out
    assert "slices: the 10 worst cells" not in done.out
    assert "slices, the worst first:" in done.out
    *_, page, command = done.out.splitlines()
    assert page.split() == ["out/report.html", "the", "page", "to", "look", "at"]
    shown = re.fullmatch(r"gradebeam (show out t\d --check 0)  a trajectory that failed", command)
    assert shown
    assert "was never called" in gradebeam(*shown[1].split()).out


def test_a_run_in_which_nothing_failed_names_the_page_alone(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "spec.yaml").write_text(
        '{"version": 1, "checks": [{"type": "output-length", "config": {"min": 0}}]}'
    )
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "my out")
    assert "✘" not in done.out
    assert done.out.splitlines()[-1] == "my out/report.html  the page to look at"
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", "--no-report")
    assert done.out.endswith("written to out\n")


def test_grade_says_how_to_keep_what_it_found(work: pathlib.Path, gradebeam: Command) -> None:
    assert (
        gradebeam("grade", "runs/a.parquet", "spec.yaml").out.splitlines()[-1].startswith("with --output DIR")
    )
    kept = gradebeam("grade", "runs/a.parquet", "spec.yaml", "--output", "out").out
    assert kept.splitlines()[-2].startswith("out/report.html ")


@pytest.mark.parametrize(
    ("arguments", "code"), [(("show", "out", "t0"), 0), (("gate", "out", "--spec", "spec.yaml"), 1)]
)
def test_the_exit_code_is_the_same_where_nobody_reads(
    work: pathlib.Path, gradebeam: Command, arguments: tuple[str, ...], code: int
) -> None:
    spec = {**SPEC, "gates": [{"max_fail": 0}]}
    (work / "spec.yaml").write_text(json.dumps(spec))
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out").code == 1
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "pipeline", *arguments]
    with os.fdopen(writer, "w") as nobody:
        done = subprocess.run(command, stdout=nobody, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")


def test_runs_tell_trajectories_from_verdicts(work: pathlib.Path, gradebeam: Command) -> None:
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out").code == 0
    heads, below, _, row = [line for line in gradebeam("runs", ".").out.splitlines() if line.strip()]
    assert heads.split() == ["verdicts:"]
    assert below.split() == [
        "output",
        "finished",
        "(UTC)",
        "trajectories",
        "pass",
        "fail",
        "abstain",
        "gates",
    ]
    output, _, _, trajectories, *verdicts, gates = row.split()
    assert (output, trajectories, gates) == ("./out", "6", "none")
    assert sum(map(int, verdicts)) == 12


def test_an_unknown_trajectory_is_told_with_those_that_may_be_meant(
    work: pathlib.Path, gradebeam: Command
) -> None:
    rows = [{**ROWS[0], "trajectory_id": f"run-{at:04}"} for at in range(18)]
    write_parquet(work / "many" / "a.parquet", rows)
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "many", "--output", "out").code == 0
    for wanted, hint in {
        "rnu-0017": "(did you mean 'run-0017'?)",
        "run-0017x": "(did you mean 'run-0017'?)",
        "RUN-0017x": "(did you mean 'run-0017'?)",
        "017": "(did you mean 'run-0017'?)",
        "run-17": "'run-0017'",
        "0": "(did you mean 'run-0000', 'run-0001', 'run-0002'?)",
        "never": "; it has such as 'run-0000', 'run-0001', 'run-0002'",
        "\udcff": "; it has such as ",
        "(" * 300: "; it has such as ",
    }.items():
        done = gradebeam("show", "out", wanted)
        assert done.code == 2
        assert hint in done.err


def test_an_id_that_is_not_unicode_is_looked_for_as_the_tables_have_it(
    work: pathlib.Path, gradebeam: Command
) -> None:
    row = {**ROWS[0], "trajectory_id": b"\xff"}
    pq.write_table(to_bytes_table([row]), work / "bytes.parquet")
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "bytes.parquet", "--output", "out").code == 0
    done = gradebeam("show", "out", os.fsdecode(b"\xff"))
    assert done.code == 0
    assert "all done" in done.out


@pytest.mark.parametrize(
    ("columns", "is_whole"), [(None, True), ("60", False)], ids=["no-terminal", "told-a-width"]
)
def test_a_table_is_whole_where_no_terminal_is_too_narrow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str | None, is_whole: bool
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    title = " ".join(["a-check-of-a-long-name"] * 4)
    print_table(console_table([_row(title, 1, 0)]))
    assert (title in capsys.readouterr().out) == is_whole


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "run", "0 runs"),
        (1, "trajectory", "1 trajectory"),
        (2000, "trajectory", "2,000 trajectories"),
        (1, "unreadable row", "1 unreadable row"),
    ],
)
def test_counts_agree_with_their_nouns(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text
