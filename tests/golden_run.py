"""The run whose tables are kept under `tests/golden`: sixty small trajectories, made the same each time."""

from __future__ import annotations

import json
import pathlib
import random
from typing import Any

from pipeline.cli import main
from tests.record_columns import Row
from tests.record_files import write_avro, write_parquet

DIRECTORY = pathlib.Path(__file__).parent / "golden"
FILES = ("summary.json", "summary.csv", "scores.json", "types.csv", "report.md")

_ECHO = {"tools": ["orders.find", "orders.never"], "pattern": r"order (ord_\d+)"}
_FIND = {"tool": "orders.find", "arguments": {"open": True}}
SPEC: dict[str, Any] = {
    "version": 1,
    "name": "shop | nightly",
    "checks": [
        {"type": "assistant-contains-tool-output", "name": "tells-the-order", "config": _ECHO},
        {"type": "outputMatches", "config": {"referencePath": "expected", "caseSensitive": False}},
        {
            "type": "outputMatches",
            "name": "=no secrets",
            "config": {"value": "password", "mode": "notContains"},
        },
        {"type": "hasToolCall", "turn": 1, "config": {"tool": "orders.find"}},
        {"type": "hasToolCall", "name": "never_refunds", "negate": True, "config": {"tool": "orders.refund"}},
        {
            "type": "toolCallContains",
            "advisory": True,
            "config": {"tool": "orders.find", "arguments": {"open": True}},
        },
        {"type": "hasToolCall", "samples": ["gift-*"], "config": {"tool": "orders.find"}},
        {"type": "hasToolCall", "tags": {"lang": "none"}, "config": {"tool": "orders.find"}},
        {
            "type": "trajectory-match",
            "config": {"mode": "any_order", "args": "contains", "calls": [_FIND, {"tool": "orders.find"}]},
        },
    ],
}


def rows() -> list[Row]:
    """Runs of a shop's agent: good ones, forgetful ones, ones that broke off, ones that never were."""
    dice = random.Random(2024)
    return [_row(at, dice) for at in range(60)]


def _row(at: int, dice: random.Random) -> Row:
    order = f"ord_{dice.randrange(1000):03}"
    row: Row = {
        "trajectory_id": f"run-{at:02}",
        "sample_id": f"{dice.choice(['gift', 'return'])}-{at // 3}",
        "trial": at % 3,
        "reference": json.dumps({"expected": order} if at % 10 else {}),
        "tags": {"lang": dice.choice(["de", "en"])},
    }
    if at % 15 == 7:
        return {**row, "events": [], "error": "no sandbox"}
    if at % 20 == 3:
        return {**row, "events": None}
    events: list[Row] = []
    for turn in range(dice.randint(1, 2)):
        events.append({"type": "user_message", "content": f"question {turn}"})
        if dice.random() < 0.8:
            arguments = dice.choice(['{"open":true}', '{"open":1}', '{"open":', None])
            events += [
                {
                    "type": "tool_call",
                    "tool_name": "orders.find",
                    "tool_call_id": f"c{turn}",
                    "arguments": arguments,
                },
                {
                    "type": "tool_result",
                    "tool_call_id": f"c{turn}",
                    "content": f"order {order} is on its way",
                },
            ]
        if dice.random() < 0.85:
            said = dice.choice(
                [
                    f"Your order is {order.upper()}.",
                    f"It is {order}.",
                    "It is on its way.",
                    "The password is 1.",
                ]
            )
            events.append({"type": "assistant_message", "content": said})
    return {**row, "events": events}


def run(work: pathlib.Path) -> dict[str, bytes]:
    """The golden files of a run below `work`."""
    found = rows()
    write_parquet(work / "runs" / "a.parquet", found[:40], row_group_size=16)
    write_avro(work / "runs" / "b.avro", found[40:])
    (work / "spec.yaml").write_text(json.dumps(SPEC))
    code = main(
        [
            "run",
            "--spec",
            str(work / "spec.yaml"),
            "--input",
            str(work / "runs"),
            "--output",
            str(work / "out"),
            *("--slice", "tags.lang", "--slice", "trial*tags.lang", "--max-slice-values", "4"),
        ]
    )
    if code:
        raise RuntimeError(f"the run ended with {code}")
    return {name: (work / "out" / name).read_bytes() for name in FILES}
