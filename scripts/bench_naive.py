"""The ten checks of configs/specs/bench-ten.yaml in Beam, row by row: one ParDo per check over dicts.

Prints how many runs pass each check, as a JSON list. It writes no verdict and no evidence.
"""

import json
import logging
import sys
from collections.abc import Iterator

import apache_beam as beam
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from bench_plain import CHECKS, Row


class _Grade(beam.DoFn):
    def __init__(self, number: int) -> None:
        self._number = number

    def process(self, element: Row) -> Iterator[tuple[int, int]]:
        yield self._number, int(CHECKS[self._number](element))


def _print(pairs: list[tuple[int, int]]) -> None:
    print(json.dumps([passed for _, passed in sorted(pairs)]))


def main() -> None:
    """Grade the files that the command line names."""
    logging.getLogger().setLevel(logging.ERROR)
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        rows = pipeline | beam.Create(sys.argv[1:], reshuffle=False) | beam.io.ReadAllFromParquet()
        graded = [rows | f"Grade{number}" >> beam.ParDo(_Grade(number)) for number in range(len(CHECKS))]
        _ = graded | beam.Flatten() | beam.CombinePerKey(sum) | beam.combiners.ToList() | beam.Map(_print)


if __name__ == "__main__":
    main()
