"""The ten checks of configs/specs/bench-ten.yaml in polars, by hand, as fast as a script comes.

Prints how many runs pass each check, as a JSON list. It writes no verdict and no evidence, folds case for
ASCII only, and takes the number 3 and the text "3" for the same.
"""

import json
import sys

import polars as pl

RELEASE_ID = r'"release_id":"(rt_[0-9a-f]{16})"'


def count(path: str) -> list[int]:
    """How many runs of a file pass each check."""
    runs = pl.read_parquet(path, columns=["output", "events", "reference"]).with_row_index("run")
    events = runs.select("run", "events").explode("events").unnest("events").with_row_index("at")
    calls = events.filter(pl.col("type") == "tool_call")
    by_tool = {
        tool: calls.filter(pl.col("tool_name") == tool) for tool in ("read_file", "get_user", "write_file")
    }
    tests = calls.filter(pl.col("tool_name") == "run_tests")
    with_three = tests.filter(pl.col("arguments").str.json_path_match("$.n") == "3")
    output = pl.col("output").str
    answer = pl.col("reference").str.json_path_match("$.expected.answer")
    in_output = runs.select(
        abc=output.contains("abc", literal=True).sum(),
        abc_folded=output.to_lowercase().str.contains("abc", literal=True).sum(),
        answer=output.contains(answer, literal=True).sum(),
        xyz=output.contains("xyz", literal=True).sum(),
        release=output.contains("rt_", literal=True).sum(),
    ).row(0, named=True)
    return [
        by_tool["read_file"]["run"].n_unique(),
        with_three["run"].n_unique(),
        in_output["abc"],
        in_output["abc_folded"],
        in_output["answer"],
        in_output["xyz"],
        _echoes(events),
        by_tool["get_user"]["run"].n_unique(),
        in_output["release"],
        len(runs) - by_tool["write_file"]["run"].n_unique(),
    ]


def _echoes(events: pl.DataFrame) -> int:
    results = events.filter(
        (pl.col("type") == "tool_result")
        & ((pl.col("tool_name") == "catalog") | pl.col("tool_name").str.starts_with("catalog."))
    ).select("run", "at", value=pl.col("content").str.extract(RELEASE_ID))
    messages = events.filter(pl.col("type") == "assistant_message").select("run", said="at", text="content")
    later = results.drop_nulls("value").join(messages, on="run").filter(pl.col("said") > pl.col("at"))
    return later.filter(pl.col("text").str.contains(pl.col("value"), literal=True))["run"].n_unique()


def main() -> None:
    """Count over the files that the command line names."""
    counts = [count(path) for path in sys.argv[1:]]
    print(json.dumps([sum(column) for column in zip(*counts, strict=True)]))


if __name__ == "__main__":
    main()
