"""Whether runs came to the same: summary, scores, types and samples to the byte, the long tables row by row.

The files of the long tables may be cut in other ways, so their rows are sorted. To compare directories by hand:

    python -m tests.same_outputs EXPECTED OUTPUT…
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.outputs.examples import Examples, read_examples

FORMATS = ("parquet", "csv", "avro", "json")
TABLES = tuple(f"{table}.{format_}" for table in ("summary", "scores", "types") for format_ in FORMATS)
FILES = (*TABLES, "samples.parquet", "report.md", "quarantine.jsonl")
LONG_TABLES = ("verdicts", "trajectories")


def differences(output: pathlib.Path, expected: pathlib.Path) -> Iterator[str]:
    """What differs between two output directories."""
    for name in FILES:
        if (output / name).read_bytes() != (expected / name).read_bytes():
            yield f"{name} differs"
    for name in LONG_TABLES:
        rows, wanted = sorted_rows(output / name), sorted_rows(expected / name)
        if rows.schema != wanted.schema:
            yield f"{name}: the schema differs"
        elif not rows.equals(wanted):
            yield f"{name}: the rows differ, {len(rows):,} here, {len(wanted):,} expected"
    if shown_examples(read_examples(str(output))) != shown_examples(read_examples(str(expected))):
        yield "the examples differ"


def shown_examples(examples: Examples) -> dict[tuple[int, str], list[tuple[str, str, int]]]:
    """What reports show of examples; in which part of the input they are, the files decide."""
    return {
        cell: [(each.trajectory_id, each.evidence, each.event_index) for each in listed]
        for cell, listed in examples.items()
    }


def sorted_rows(directory: pathlib.Path) -> pa.Table:
    """The rows of a table's files, sorted by all columns that have an order."""
    table = pa.concat_tables([pq.read_table(path) for path in sorted(directory.glob("*.parquet"))])
    keys = [(field.name, "ascending") for field in table.schema if not pa.types.is_nested(field.type)]
    return table.sort_by(keys).combine_chunks()


def main() -> None:
    """Compare the directories of the command line with the first of them."""
    expected, *outputs = map(pathlib.Path, sys.argv[1:])
    found = {output: list(differences(output, expected)) for output in outputs}
    for output, several in found.items():
        print(f"{output}: {'; '.join(several) or f'the same as {expected}'}")
    sys.exit(any(found.values()))


if __name__ == "__main__":
    main()
