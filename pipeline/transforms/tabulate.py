"""Tabulating: the counts of bundles to those of the whole input."""

import functools
from typing import Any

import apache_beam as beam
import numpy as np

from graders.distinct import DistinctTexts
from graders.samples import SampleHistogram
from graders.slice_counts import SliceCounts
from graders.tally import Tally
from graders.transitions import Transitions
from pipeline.outputs.examples import ExampleSet

Count = Tally | Transitions | SliceCounts | SampleHistogram | DistinctTexts | ExampleSet | np.ndarray
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
        self._merge = _Merge(most)

    def expand(self, counts):
        return counts | "Merge" >> beam.CombinePerKey(self._merge).with_output_types(COUNTED)


class _Merge(beam.CombineFn):
    """Merges counts, which are never changed in place."""

    def __init__(self, most):
        super().__init__()
        self._most = most

    def create_accumulator(self):
        return None

    def add_input(self, accumulator, element):
        match accumulator:
            case None:
                return element
            case np.ndarray():
                return accumulator + element
            case SliceCounts() | SampleHistogram():
                return accumulator.merge(element, self._most)
            case _:
                return accumulator.merge(element)

    def merge_accumulators(self, accumulators):
        return functools.reduce(self.add_input, (each for each in accumulators if each is not None), None)

    def extract_output(self, accumulator):
        return accumulator
