"""Make recorded runs of realistic size to measure speed on; the same arguments give the same files.

A run has 11 to 38 events, 24.5 on average, of about 9 kB in memory: a question, then rounds of a message, a
call and its result, and a last message, which is the output. Six in ten outputs repeat the last release id.
"""

import argparse
import concurrent.futures
import functools
import json
import pathlib
import random
import string
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_PER_GROUP = 2000
ROWS_PER_FILE = 50_000
SAMPLES = 1000
TOOLS = (
    "catalog.lookup_release_train",
    "get_user",
    "github_issues_create",
    "read_file",
    "run_tests",
    "search_web",
    "update_reservation",
    "write_file",
)
EVENT = pa.struct(
    [
        ("type", pa.string()),
        ("turn", pa.int32()),
        ("content", pa.string()),
        ("tool_name", pa.string()),
        ("tool_call_id", pa.string()),
        ("arguments", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        ("trajectory_id", pa.string()),
        ("sample_id", pa.string()),
        ("trial", pa.int32()),
        ("model", pa.string()),
        ("output", pa.string()),
        ("events", pa.list_(EVENT)),
        ("reference", pa.string()),
    ]
)


@functools.cache
def vocabulary() -> list[str]:
    """Five thousand words of three to ten letters."""
    draw = random.Random(7)
    return ["".join(draw.choices(string.ascii_lowercase, k=draw.randint(3, 10))) for _ in range(5000)]


def make_run(number: int, draw: random.Random) -> dict[str, Any]:
    """One run as a row of `SCHEMA`."""

    def text(words: int) -> str:
        return " ".join(draw.choices(vocabulary(), k=words))

    events: list[dict[str, Any]] = [{"type": "user_message", "turn": 0, "content": text(30)}]
    release_id = ""
    for round_ in range(draw.randint(3, 12)):
        release_id = f"rt_{draw.getrandbits(64):016x}"
        call = {"turn": 0, "tool_name": draw.choice(TOOLS), "tool_call_id": f"call_{number}_{round_}"}
        options = {"deep": True, "path": f"/src/{draw.choice(vocabulary())}"}
        arguments = json.dumps({"q": text(4), "n": round_, "opts": options})
        result = {"ok": True, "release_id": release_id, "body": text(80)}
        events += [
            {"type": "assistant_message", "turn": 0, "content": text(20)},
            {"type": "tool_call", **call, "arguments": arguments},
            {"type": "tool_result", **call, "content": json.dumps(result, separators=(", ", ":"))},
        ]
    output = text(60) + (f" {release_id}" if draw.random() < 0.6 else "")
    events.append({"type": "assistant_message", "turn": 0, "content": output})
    return {
        "trajectory_id": f"t{number}",
        "sample_id": f"s{number % SAMPLES}",
        "trial": number // SAMPLES,
        "model": draw.choice(("m1", "m2", "m3")),
        "output": output,
        "events": events,
        "reference": json.dumps({"expected": {"answer": draw.choice(vocabulary())}}),
    }


def write_file(path: pathlib.Path, numbers: range) -> None:
    """Write the runs of these numbers as one file."""
    draw = random.Random(numbers.start)
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for first in range(numbers.start, numbers.stop, ROWS_PER_GROUP):
            group = range(first, min(first + ROWS_PER_GROUP, numbers.stop))
            rows = [make_run(number, draw) for number in group]
            writer.write_table(pa.Table.from_pylist(rows, SCHEMA))


def make_data(directory: pathlib.Path, rows: int) -> None:
    """Write so many runs into a directory, unless they are there; each file is whole or absent."""
    directory.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        firsts = range(0, rows, ROWS_PER_FILE)
        paths = [directory / f"part-{first // ROWS_PER_FILE:05d}.parquet" for first in firsts]
        numbers = [range(first, min(first + ROWS_PER_FILE, rows)) for first in firsts]
        list(pool.map(_write_whole, paths, numbers))


def _write_whole(path: pathlib.Path, numbers: range) -> None:
    if not path.exists():
        draft = path.with_suffix(".part")
        write_file(draft, numbers)
        draft.rename(path)


def main() -> None:
    """Write the data where the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("directory", type=pathlib.Path, help="where the files go")
    parser.add_argument("--rows", type=int, default=100_000, help="how many runs (100000)")
    options = parser.parse_args()
    make_data(options.directory, options.rows)


if __name__ == "__main__":
    main()
