"""`gradebeam show`: the verdicts on one trajectory, and its conversation."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from pipeline.commands.lines import print_lines
from pipeline.outputs.render.table import MARKS, check_name
from pipeline.outputs.visible_text import visible, visible_line
from pipeline.plurals import counted

SUMMARY = "show the verdicts on one trajectory and its conversation"
EPILOG = """examples:
  gradebeam show graded run-17              # every verdict, and the conversation
  gradebeam show graded run-17 --check 3    # one check, by number or name; its event is marked with ▶
  gradebeam show graded run-17 | less -R

The conversation is read from the inputs of the run, under the names that they had then."""

_STYLES = {"pass": "green", "fail": "red", "abstain": "yellow"}
_EVENT_STYLES = {
    "user_message": "cyan",
    "assistant_message": "bold",
    "tool_call": "magenta",
    "tool_result": "blue",
    "error": "red",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("run", metavar="RUN", help="the output directory of the run")
    parser.add_argument("trajectory", metavar="TRAJECTORY", help="the id of the trajectory")
    parser.add_argument("--check", metavar="CHECK", help="only this check, by its name or spec index")


def start(options: argparse.Namespace) -> int:
    """Print verdicts and conversation."""
    from graders.arrays import replace_surrogates  # noqa: PLC0415  (--help needs no Arrow)
    from pipeline.errors import InvalidError, invalid  # noqa: PLC0415
    from pipeline.outputs.finished import open_run  # noqa: PLC0415
    from pipeline.outputs.stored import read_verdicts  # noqa: PLC0415

    run = open_run(options.run)
    id_ = replace_surrogates(options.trajectory)  # As the tables have it.
    verdicts = read_verdicts(run, id_)
    if options.check is not None:
        known = ", ".join(f"{verdict['spec_index']} {check_name(verdict)}" for verdict in verdicts)
        verdicts = [
            verdict
            for verdict in verdicts
            if options.check in {str(verdict["spec_index"]), check_name(verdict)}
        ]
        if not verdicts:
            raise invalid(f"--check {options.check}", f"no such check on this trajectory; it has {known}")
    print_lines(map(_verdict, verdicts))
    marked = sorted({verdict["event_index"] for verdict in verdicts if verdict["event_index"] is not None})
    try:
        talk = _conversation(run.manifest, id_, marked)
    except InvalidError as error:
        print_lines(["", f"The conversation cannot be shown, an input of the run is gone: {error}"])
        return 0
    if talk is None:
        print_lines(["", "The conversation cannot be shown: the inputs of the run no longer hold it."])
        return 0
    print_lines(["", *_timeline(talk, set(marked))])
    return 0


def _conversation(manifest: Mapping[str, Any], id_: str, marked: Sequence[int]) -> dict[str, Any] | None:
    from pipeline.outputs.conversation import conversation  # noqa: PLC0415  (--help needs no Arrow)
    from pipeline.sources.lookup import find_parts, read_trajectories  # noqa: PLC0415
    from pipeline.sources.records import ColumnMap  # noqa: PLC0415

    columns = ColumnMap.of(manifest["columns"])
    parts = find_parts([item["path"] for item in manifest["inputs"]], columns)
    found = read_trajectories(parts, columns, {id_: 0}, sum(part.size_bytes for part in parts))
    return conversation(found[id_], marked) if id_ in found else None


def _verdict(verdict: Mapping[str, Any]) -> Text:
    outcome = verdict["outcome"]
    line = Text(f"{MARKS[outcome]} {verdict['spec_index']} ", style=_STYLES[outcome])
    line.append(visible_line(check_name(verdict)), style="bold")
    code = f"{verdict['code']}: " if verdict["code"] else ""
    at = "" if verdict["event_index"] is None else f" (event {verdict['event_index']})"
    line.append(f"  {outcome}: {code}{visible_line(verdict['evidence'])}{at}", style="default")
    return line


def _timeline(talk: Mapping[str, Any], marked: set[int]) -> list[Text]:
    facts = [
        talk["id"],
        f"sample {talk['sample']}",
        *(f"{key} {value}" for key, value in talk["tags"].items()),
        counted(talk["count"], "event"),
    ]
    lines = [Text(" · ".join(map(visible_line, facts)), style="bold")]
    turn, expected = None, 0
    for event in talk["events"]:
        if event["index"] > expected:
            lines.append(_left_out(event["index"] - expected))
        if event["turn"] != turn:
            turn = event["turn"]
            lines.append(Text(f"── turn {turn} ──", style="dim"))
        lines += _event(event, is_marked=event["index"] in marked)
        expected = event["index"] + 1
    if talk["count"] > expected:
        lines.append(_left_out(talk["count"] - expected))
    return lines


def _left_out(count: int) -> Text:
    return Text(f"  … {counted(count, 'event')} left out", style="dim")


def _event(event: Mapping[str, Any], *, is_marked: bool) -> list[Text]:
    style = _EVENT_STYLES.get(event["type"], "dim")
    head = Text("▶ " if is_marked else "  ", style="bold red")
    head.append(f"{event['index']:>3} {visible_line(event['type'])}", style=style)
    if name := event.get("tool") or event.get("name"):
        head.append(f" {visible_line(name)}", style="bold")
    if event.get("error"):
        head.append(" failed", style="red")
    lines = [head]
    for text in (event.get("arguments"), event.get("content"), event.get("data")):
        lines += [Text(f"      {line}") for line in visible(text or "").splitlines()]
    if more := event.get("more"):
        lines.append(Text(f"      … {counted(more, 'more character')}", style="dim"))
    return lines
