"""Verdicts to look at: a few of each check that did not pass, kept in a file of the run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pipeline import files
from pipeline.errors import InvalidError, invalid
from pipeline.outputs.commit import EXAMPLES


class Example(NamedTuple):
    """A verdict that did not pass.

    Attributes:
        rank: by the hash of its trajectory's id, see `example_chooser`; examples are in this order.
        trajectory_id: which run.
        evidence: what was observed.
        event_index: the event that it rests on; -1 if none.
        code: why it abstains; empty for a fail.
        sample_id: which sample.
        trial: which repeat; -1 if none is recorded.
        part: the hash of the work item that holds the trajectory; -1 if that is not known.
    """

    rank: int
    trajectory_id: str
    evidence: str
    event_index: int
    code: str
    sample_id: str
    trial: int
    part: int


Examples = dict[tuple[int, str], list[Example]]
"""Examples by (spec index, outcome), outcome being `fail` or `abstain`."""


class ExampleSet(NamedTuple):
    """The examples of a check with one outcome: those of the lowest ranks, a commutative monoid.

    Attributes:
        most: how many there are at most.
        examples: sorted.
    """

    most: int
    examples: tuple[Example, ...]

    def merge(self, other: ExampleSet) -> ExampleSet:
        """Those of both with the lowest ranks."""
        return ExampleSet(self.most, tuple(sorted(self.examples + other.examples)[: self.most]))


def encode_examples(examples: Examples) -> bytes:
    """The file of the examples of a run: a JSON list, one example a line."""
    lines = [
        json.dumps({"spec_index": spec_index, "outcome": outcome, **example._asdict()}, ensure_ascii=False)
        for (spec_index, outcome), listed in examples.items()
        for example in listed
    ]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def read_examples(directory: str) -> Examples:
    """The examples of a finished run.

    Raises:
        InvalidError: there are none.
    """
    path = files.join(directory, EXAMPLES)
    try:
        rows: list[dict[str, Any]] = json.loads(files.read_bytes(path, "examples"))
    except InvalidError as error:
        raise invalid(path, "is not there, an earlier gradebeam wrote this run; grade again") from error
    examples: Examples = {}
    for row in rows:
        key = (row.pop("spec_index"), row.pop("outcome"))
        examples.setdefault(key, []).append(Example(**row))
    return examples


def by_rank(examples: Examples) -> Sequence[Example]:
    """All examples, the first of each check before the second of any."""
    most = max(map(len, examples.values()), default=0)
    return [listed[n] for n in range(most) for listed in examples.values() if n < len(listed)]
