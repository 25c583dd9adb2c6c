"""Make recorded runs of realistic size to measure speed on; the same arguments give the same files.

A run has 11 to 38 events, 24.5 on average, of about 9 kB in memory: a question, then rounds of a message, a
call and its result, and a last message, which is the output. Six in ten outputs repeat the last release id.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import json
import pathlib
import random
import string
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

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


Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Runs of one kind, as many as are asked for.

    Attributes:
        name: what its directories begin with.
        make_rows: the runs of some numbers as rows of `SCHEMA`, always the same ones.
        group_rows: rows of a row group.
        file_rows: rows of a file.
        distinct_rows: how many runs are made, a multiple of `file_rows`; those that follow are the same under
            other ids.
    """

    name: str
    make_rows: Callable[[range], list[Row]]
    group_rows: int
    file_rows: int
    distinct_rows: int


@functools.cache
def vocabulary() -> list[str]:
    """Five thousand words of three to ten letters."""
    draw = random.Random(7)
    return ["".join(draw.choices(string.ascii_lowercase, k=draw.randint(3, 10))) for _ in range(5000)]


def make_run(number: int, draw: random.Random) -> Row:
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


def _even_runs(numbers: range) -> list[Row]:
    draw = random.Random(numbers.start)
    return [make_run(number, draw) for number in numbers]


EVEN = Corpus("rows", _even_runs, group_rows=2_000, file_rows=50_000, distinct_rows=100_000)


def make_data(place: pathlib.Path, rows: int, corpus: Corpus = EVEN) -> pathlib.Path:
    """Write so many runs into a directory of their own, unless they are there; each file is whole or absent.

    Returns:
        The directory.
    """
    directory = place / f"{corpus.name}-{rows}"
    directory.mkdir(parents=True, exist_ok=True)
    ranges = [range(first, min(first + corpus.file_rows, rows)) for first in range(0, rows, corpus.file_rows)]
    made = [numbers for numbers in ranges if numbers.start < corpus.distinct_rows]
    copied = ranges[len(made) :]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        list(pool.map(_make_file, [corpus] * len(made), [directory] * len(made), made))
        list(pool.map(_copy_file, [corpus] * len(copied), [directory] * len(copied), copied))
    return directory


def _path(corpus: Corpus, directory: pathlib.Path, first: int) -> pathlib.Path:
    return directory / f"part-{first // corpus.file_rows:05d}.parquet"


def _make_file(corpus: Corpus, directory: pathlib.Path, numbers: range) -> None:
    groups = (
        numbers[first : first + corpus.group_rows] for first in range(0, len(numbers), corpus.group_rows)
    )
    tables = (pa.Table.from_pylist(corpus.make_rows(group), SCHEMA) for group in groups)
    write_whole(_path(corpus, directory, numbers.start), tables)


def _copy_file(corpus: Corpus, directory: pathlib.Path, numbers: range) -> None:
    source = pq.ParquetFile(_path(corpus, directory, numbers.start % corpus.distinct_rows))
    groups = (source.read_row_group(number) for number in range(source.num_row_groups))
    firsts = range(numbers.start, numbers.stop, corpus.group_rows)
    tables = (
        with_numbers(group, range(first, min(first + group.num_rows, numbers.stop)))
        for first, group in zip(firsts, groups, strict=False)
    )
    write_whole(_path(corpus, directory, numbers.start), tables)


def with_numbers(table: pa.Table, numbers: range) -> pa.Table:
    """The first rows of a table, under other ids."""
    table = table.slice(0, len(numbers))
    columns = {
        "trajectory_id": pa.array([f"t{number}" for number in numbers]),
        "trial": pa.array([number // SAMPLES for number in numbers], pa.int32()),
    }
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), SCHEMA.field(name), column)
    return table


def write_whole(path: pathlib.Path, tables: Iterable[pa.Table]) -> None:
    """Write tables as a file, a row group each, unless it is there."""
    if path.exists():
        return
    draft = path.with_suffix(".part")
    with pq.ParquetWriter(draft, SCHEMA, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table, row_group_size=table.num_rows)
    draft.rename(path)


def main() -> None:
    """Write the data where the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("place", type=pathlib.Path, help="where the directory of the files goes")
    parser.add_argument("--rows", type=int, default=100_000, help="how many runs (100000)")
    options = parser.parse_args()
    print(make_data(options.place, options.rows))


if __name__ == "__main__":
    main()
