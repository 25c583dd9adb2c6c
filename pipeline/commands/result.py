"""What a finished run prints: its tables, what failed most, and what to look at next."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from pipeline import files
from pipeline.commands.lines import print_lines, print_table
from pipeline.outputs.commit import QUARANTINE, REPORT
from pipeline.outputs.render.table import check_name
from pipeline.outputs.visible_text import visible_line
from pipeline.plurals import counted

if TYPE_CHECKING:
    from pipeline.outputs.examples import Example
    from pipeline.run import RunResult

_MOST_CHECKS = 3
_EVIDENCE_LENGTH = 160
_COUNTED = {"trajectories": "trajectory", "verdicts": "verdict", "quarantined_rows": "unreadable row"}


def print_result(result: RunResult, output: str | None) -> None:
    """Print the tables of a finished run and what to know of it.

    Args:
        result: the run.
        output: where its outputs are; None where nothing is kept.
    """
    from pipeline.outputs.render.comparison import (  # noqa: PLC0415  (--help needs no Beam)
        changed_lines,
        comparison_table,
    )
    from pipeline.outputs.render.gates import gates_lines  # noqa: PLC0415
    from pipeline.outputs.render.slices import worst_cells  # noqa: PLC0415
    from pipeline.outputs.render.table import (  # noqa: PLC0415
        console_table,
        has_trials,
        score_lines,
        trial_table,
    )

    print_table(console_table(result.records))
    scores = result.tables["scores"]
    print_lines(score_lines(scores))
    if has_trials(scores):
        print_table(trial_table(scores))
    counts = result.manifest["counts"]
    sums = ", ".join(counted(counts[name], noun) for name, noun in _COUNTED.items())
    print_lines([f"{sums}; written to {output}" if output else sums])
    if counts["quarantined_rows"] and output:
        print_lines([f"what could not be read, and why: {files.join(output, QUARANTINE)}"])
    if not counts["trajectories"]:
        print_lines(["the input holds no trajectories: there was nothing to grade"])
    for item in result.manifest["never_seen_tools"] if counts["trajectories"] else []:
        print_lines([f"never seen: no trajectory called {item['tool']!r} (check {item['spec_index']})"])
    if cells := [row for row in result.tables["summary"] if row["slice_key"]]:
        title, table = worst_cells(cells)
        print_lines(["", title])
        print_table(table)
    if result.decision.comparison is not None:
        document = result.decision.comparison.document
        print_lines(["", f"against {document['base']['directory']}:"])
        print_table(comparison_table(document))
        print_lines(changed_lines(document))
    if result.decision.gates:
        print_lines(["", *gates_lines(result.decision.gates)])


def print_worst(result: RunResult) -> None:
    """Print the checks that most trajectories failed, each with one of these."""
    worst = _worst(result)
    lines: list[str | Text] = []
    for row in worst[:_MOST_CHECKS]:
        line = Text(f"✘ {visible_line(check_name(row))}", style="bold")
        line.append(f" failed {row['failed']:,} of {row['passed'] + row['failed']:,}", style="not bold")
        for example in result.examples.get((row["spec_index"], "fail"), [])[:1]:
            line.append(f", such as {_said_of(example)}", style="not bold")
        lines.append(line)
    if more := len(worst) - len(lines):
        lines.append(f"… and {counted(more, 'more check')} with failures")
    if lines:
        print_lines(["", *lines])


def _worst(result: RunResult) -> list[Mapping[str, Any]]:
    """The rows of checks that some trajectories failed, those first that most did; advisory ones last."""
    failing = [row for row in result.records if row["failed"]]
    return sorted(failing, key=lambda row: (row["advisory"], -row["failed"], row["spec_index"]))


def _said_of(example: Example) -> str:
    """A trajectory, and what was observed of it, on one line."""
    from graders.values import cut  # noqa: PLC0415  (--help needs no Arrow)

    return f"{visible_line(example.trajectory_id)}: {visible_line(cut(example.evidence, _EVIDENCE_LENGTH))}"


def print_next_steps(result: RunResult) -> None:
    """Print what to look at: the page, and a trajectory that failed."""
    steps: list[tuple[str, str]] = []
    page = files.join(result.output, REPORT)
    if files.exists(page):
        steps.append((page, "the page to look at"))
    failed = (
        (str(row["spec_index"]), example.trajectory_id)
        for row in _worst(result)
        for example in result.examples.get((row["spec_index"], "fail"), [])
        if visible_line(example.trajectory_id) == example.trajectory_id
    )
    for index, id_ in itertools.islice(failed, 1):
        command = shlex.join(["gradebeam", "show", result.output, id_, "--check", index])
        steps.append((command, "a trajectory that failed"))
    width = max((len(step) for step, _ in steps), default=0)
    if steps:
        print_lines(["", *(f"{step:<{width}}  {what}" for step, what in steps)])
