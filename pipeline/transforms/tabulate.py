"""Tabulating: the counts of bundles to those of the whole input."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import apache_beam as beam
import numpy as np

from graders.distinct import DistinctTexts
from graders.samples import SampleHistogram
from graders.slice_counts import SliceCounts
from graders.tally import Tally
from pipeline.outputs.examples import ExampleSet

Count = Tally | SliceCounts | SampleHistogram | DistinctTexts | ExampleSet | np.ndarray
"""What is added up: each kind is a commutative monoid."""

COUNTED = tuple[Any, Any]
"""The type hint of (key, `Count`): Beam has no coder of its own for any of them."""


class Tabulate(beam.PTransform):
    """Add up the counts of each key.

    Goes in: a PCollection of (key, `Count`); the counts of a key are of one kind. Comes out: the
    same, one element per key. Order, bundles and workers make no difference.
    """

    def __init__(self, most: int = 1000):
        """Keep the `most` smallest values of each slice apart."""
        super().__init__()
        self._merge = MergeWith(functools.partial(_merge, most=most))

    def expand(self, counts):
        return counts | "Merge" >> beam.CombinePerKey(self._merge).with_output_types(COUNTED)


def _merge(first: Any, second: Any, most: int) -> Count:
    match first:
        case np.ndarray():
            return first + second
        case SliceCounts() | SampleHistogram():
            return first.merge(second, most)
        case _:
            return first.merge(second)


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
