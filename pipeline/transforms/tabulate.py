"""Tabulating: tallies to cells of the summary table."""

import functools
from collections.abc import Callable, Iterable

import apache_beam as beam

from graders.slice_counts import SliceCounts
from graders.slices import OTHER
from graders.tally import Tally
from pipeline.transforms.grade import CellKey, SliceKeyOfCheck


class Tabulate(beam.PTransform):
    """Add up the tallies of each cell.

    Goes in: a PCollection of (`CellKey`, `Tally`). Comes out: the same, one element per cell.
    Tallies are integers under a commutative monoid, so order, bundles and workers make no
    difference.
    """

    def expand(self, tallies):
        return tallies | "MergeTallies" >> beam.CombinePerKey(MergeWith(Tally.merge)).with_output_types(
            tuple[CellKey, Tally]
        )


class TabulateSlices(beam.PTransform):
    """Add up the counts of each slice of each check.

    Goes in: a PCollection of (`SliceKeyOfCheck`, `SliceCounts`). Comes out: a PCollection of
    (`CellKey`, `Tally`), one element per cell; the values beyond the cap are one cell, `OTHER`.
    """

    def __init__(self, most: int):
        """Keep the `most` smallest values of each slice apart."""
        super().__init__()
        self._merge = functools.partial(SliceCounts.merge, most=most)

    def expand(self, counts):
        merged = counts | "MergeSlices" >> beam.CombinePerKey(MergeWith(self._merge)).with_output_types(
            tuple[SliceKeyOfCheck, SliceCounts]
        )
        return merged | "Cells" >> beam.FlatMap(_cells).with_output_types(tuple[CellKey, Tally])


def _cells(element):
    key, counts = element
    for value, row in zip(counts.values, counts.counts.tolist(), strict=True):
        yield (*key, value), Tally.from_counts(row)
    if counts.rest.any():
        yield (*key, OTHER), Tally.from_counts(counts.rest.tolist())


class MergeWith(beam.CombineFn):
    """Merges values of a commutative monoid that are never changed in place."""

    def __init__(self, merge: Callable):
        """Merge two values with `merge`."""
        super().__init__()
        self._merge = merge

    def create_accumulator(self):
        return None

    def add_input(self, accumulator, element):
        return element if accumulator is None else self._merge(accumulator, element)

    def merge_accumulators(self, accumulators: Iterable):
        return functools.reduce(self.add_input, (each for each in accumulators if each is not None), None)

    def extract_output(self, accumulator):
        return accumulator
