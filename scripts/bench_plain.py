"""The ten checks of configs/specs/bench-ten.yaml as anyone would write them first: a loop over dicts.

Prints how many runs pass each check, as a JSON list. It writes no verdict and no evidence.
"""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq

Row = dict[str, Any]

RELEASE_ID = re.compile(r'"release_id":"(rt_[0-9a-f]{16})"')


def calls(row: Row, tool: str) -> bool:
    """Whether a call of the tool exists."""
    return any(event["type"] == "tool_call" and event["tool_name"] == tool for event in row["events"])


def calls_with(row: Row, tool: str, wanted: dict[str, Any]) -> bool:
    """Whether a call of the tool has these arguments."""
    for event in row["events"]:
        if event["type"] == "tool_call" and event["tool_name"] == tool:
            arguments = json.loads(event["arguments"])
            if all(arguments.get(key) == value for key, value in wanted.items()):
                return True
    return False


def expected(row: Row) -> str:
    """The expected answer of the reference."""
    return json.loads(row["reference"])["expected"]["answer"]


def echoes(row: Row) -> bool:
    """Whether a release id that the catalogue returned is in a later message."""
    captured: list[str] = []
    for event in row["events"]:
        if event["type"] == "tool_result":
            tool = event["tool_name"]
            if (tool == "catalog" or tool.startswith("catalog.")) and (
                match := RELEASE_ID.search(event["content"])
            ):
                captured.append(match[1])
        elif event["type"] == "assistant_message" and any(value in event["content"] for value in captured):
            return True
    return False


CHECKS: list[Callable[[Row], bool]] = [
    lambda row: calls(row, "read_file"),
    lambda row: calls_with(row, "run_tests", {"n": 3}),
    lambda row: "abc" in row["output"],
    lambda row: "abc" in row["output"].casefold(),
    lambda row: expected(row) in row["output"],
    lambda row: "xyz" in row["output"],
    echoes,
    lambda row: calls(row, "get_user"),
    lambda row: "rt_" in row["output"],
    lambda row: not calls(row, "write_file"),
]


def main() -> None:
    """Grade the files that the command line names."""
    passed = [0] * len(CHECKS)
    for path in sys.argv[1:]:
        for batch in pq.ParquetFile(path).iter_batches(2000):
            for row in batch.to_pylist():
                for number, check in enumerate(CHECKS):
                    passed[number] += check(row)
    print(json.dumps(passed))


if __name__ == "__main__":
    main()
