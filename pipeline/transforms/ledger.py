"""The ledger of a run: what came of everything, written by the pipeline as one file of JSON lines."""

import json
import typing
import uuid
from collections.abc import Iterator

import apache_beam as beam

from graders.distinct import DistinctTexts
from graders.samples import SampleHistogram
from graders.slice_counts import SliceCounts
from graders.tally import Tally
from pipeline import files
from pipeline.outputs.examples import ExampleSet
from pipeline.transforms.account import IdAccount
from pipeline.transforms.read import QuarantinedRows
from pipeline.transforms.tabulate import Count
from pipeline.transforms.write import WrittenFile

LedgerLine = dict[str, typing.Any]
"""One fact about a run, with the key `kind`."""


def ledger_line(kind: str, **values: object) -> LedgerLine:
    """A fact of a kind."""
    return {"kind": kind, **values}


def count_lines(key: tuple[typing.Any, ...], count: Count) -> Iterator[LedgerLine]:
    """What the counts of a key come to; the first item of the key tells what they count."""
    match count:
        case Tally():
            yield ledger_line("cell", key=key, tally=count)
        case SliceCounts() if key[0] == "verdicts":
            for value, row in count.by_value():
                yield ledger_line("cell", key=(*key[1:], value), tally=Tally.from_counts(row))
        case SliceCounts():
            yield ledger_line("moments", key=key[1:], rows=list(count.by_value()))
        case ExampleSet():
            yield ledger_line("examples", key=key[1:], rows=count.examples)
        case SampleHistogram():
            rows = [[value, of_value.tolist()] for value, of_value in count.by_value()]
            yield ledger_line("histogram", spec=key[1], slice_key=key[2], rows=rows)
        case DistinctTexts():
            yield ledger_line("distinct", slice_key=key[1], count=count.count, is_exact=count.is_exact)
        case _:
            yield ledger_line("replicates", key=key[1:], passed=count[0].tolist(), decided=count[1].tolist())


def id_line(account: IdAccount) -> LedgerLine:
    """What the ids of a share tell."""
    return ledger_line("ids", **account._asdict())


def quarantine_line(rows: QuarantinedRows) -> LedgerLine:
    """Rows that could not be read."""
    return ledger_line("quarantine", **rows._asdict())


def file_line(file: WrittenFile) -> LedgerLine:
    """A file that counts."""
    return ledger_line("file", **file._asdict())


class WriteLedger(beam.PTransform):
    """Write what came of a run as one file of JSON lines.

    Goes in: a PCollection of `LedgerLine`; there is one per cell and per file, so they are few.
    Comes out: nothing. The file appears whole or not at all; a retry writes another that says
    the same, so that any `ledger-*.jsonl` will do.
    """

    def __init__(self, directory: str):
        """Plan where to write."""
        super().__init__()
        self._directory = directory

    def expand(self, lines):
        # Even of a run that has nothing to tell there is a ledger.
        begin = lines.pipeline | "Begin" >> beam.Create([ledger_line("begin")], reshuffle=False)
        return (
            (begin, lines)
            | "Lines" >> beam.Flatten()
            | "Encode" >> beam.Map(_encoded).with_output_types(tuple[int, str])
            | "Gather" >> beam.GroupByKey()
            | "Write" >> beam.ParDo(_WriteLedger(self._directory))
        )


def _encoded(line: LedgerLine) -> tuple[int, str]:
    return 0, json.dumps(line, ensure_ascii=False)


class _WriteLedger(beam.DoFn):
    def __init__(self, directory):
        self._directory = directory

    def process(self, element):
        _, lines = element
        name = f"ledger-{uuid.uuid4().hex}.jsonl"
        draft = files.join(self._directory, f"{name}.part")
        with files.open_write(draft) as file:
            for line in lines:
                file.write(f"{line}\n".encode())
        files.rename(draft, files.join(self._directory, name))
