"""Near misses: what a failed check expected, beside what came closest to it, as a difference."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from graders.families.reference_calls import read_calls
from graders.values import INVALID, Json, cut, json_text, parse_arguments, parse_json, parse_path, resolve

Difference = list[tuple[str, str]]
"""Lines as (sign, text): `-` was expected and is missing, `+` was found instead, ` ` is in both."""

_MOST_LINES = 60
_LINE = 300
_LEAST_LIKENESS = 0.4


def difference(
    check_type: str, config: Mapping[str, Any], record: Mapping[str, Any], event_index: int
) -> Difference:
    """The difference between what a check expected and what a failing trajectory has.

    Args:
        check_type: one that compares with something; of others there is no difference.
        config: its parameters, as in a native spec.
        record: the trajectory by column; `output` is its final output.
        event_index: the event that the evidence names; -1 if none.

    Returns:
        Nothing where nothing came close.
    """
    if config.get("mode") == "notContains" or config.get("negate"):
        return []
    if check_type == "toolCallContains":
        return _arguments(config["arguments"], record, event_index)
    if check_type == "trajectory-match":
        return _calls(config, record)
    if check_type in ("outputMatches", "output-equals", "output-contains"):
        wanted = config.get("value", config.get("substring", _referenced(config, record)))
        return _text(wanted if isinstance(wanted, str) else None, record["output"])
    return []


def _arguments(expected: Mapping[str, Json], record: Mapping[str, Any], event_index: int) -> Difference:
    events = record["events"] or []
    if not 0 <= event_index < len(events):
        return []
    actual = parse_arguments((events[event_index] or {}).get("arguments"))
    if not isinstance(actual, dict):
        return []
    comparable = {key: value for key, value in actual.items() if key in expected}
    return _compare(_pretty(expected), _pretty(comparable))


def _calls(config: Mapping[str, Any], record: Mapping[str, Any]) -> Difference:
    expected = config["calls"] if config.get("calls") is not None else _referenced(config, record)
    calls = read_calls(expected)
    if calls is None:
        return []
    is_ignored = config.get("args") == "ignore"
    ignored: set[str] = set(config.get("ignore") or ())
    wanted = [_call(tool, arguments, is_ignored) for tool, arguments in calls if tool not in ignored]
    made = [
        _call(event["tool_name"], parse_arguments(event["arguments"]), is_ignored)
        for event in record["events"] or []
        if event and event["type"] == "tool_call" and event["tool_name"] not in ignored
    ]
    return _compare(wanted, made)


def _call(tool: Any, arguments: Json, is_ignored: bool) -> str:  # noqa: FBT001  (private)
    if is_ignored or arguments is None:
        return str(tool)
    shown = "bad arguments" if arguments is INVALID else json_text(_sorted(arguments))
    return f"{tool} {shown}"


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _text(wanted: str | None, output: str | None) -> Difference:
    if not wanted or not output:
        return []
    lines = wanted.splitlines()
    if len(lines) > 1 or len(output) <= 2 * len(wanted):
        return _compare(lines, output.splitlines())
    candidates = [line.strip() for line in output[:20_000].splitlines()]
    near = difflib.get_close_matches(wanted, candidates, n=1, cutoff=_LEAST_LIKENESS)
    return _compare(lines, near) if near else []


def _referenced(config: Mapping[str, Any], record: Mapping[str, Any]) -> Json:
    if config.get("referencePath") is None or not record["reference"]:
        return None
    return resolve(parse_json(record["reference"]), parse_path(config["referencePath"]))


def _pretty(value: Json) -> list[str]:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines()


def _compare(wanted: Sequence[str], found: Sequence[str]) -> Difference:
    lines = [
        (line[0], cut(line[2:], _LINE))
        for line in difflib.ndiff([*wanted[:_MOST_LINES]], [*found[:_MOST_LINES]])
        if not line.startswith("?")
    ]
    return lines[:_MOST_LINES]
