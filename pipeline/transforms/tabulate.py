"""Tabulating: tallies to cells of the summary table."""

from collections.abc import Iterable

import apache_beam as beam

from graders.tally import Tally
from pipeline.transforms.grade import CellKey


class Tabulate(beam.PTransform):
    """Add up the tallies of each cell.

    Goes in: a PCollection of ((spec index, check type), `Tally`). Comes out: the same, one
    element per cell. Tallies are integers under a commutative monoid, so order, bundles and
    workers make no difference.
    """

    def expand(self, tallies):
        return tallies | "MergeTallies" >> beam.CombinePerKey(_MergeTallies()).with_output_types(
            tuple[CellKey, Tally]
        )


class _MergeTallies(beam.CombineFn):
    def create_accumulator(self):
        return Tally()

    def add_input(self, accumulator: Tally, element: Tally):
        return accumulator.merge(element)

    def merge_accumulators(self, accumulators: Iterable[Tally]):
        merged = Tally()
        for accumulator in accumulators:
            merged = merged.merge(accumulator)
        return merged

    def extract_output(self, accumulator: Tally):
        return accumulator
