"""Which specs of two runs are one and the same, so that their trajectories can be paired."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

from pipeline.outputs.finished import FinishedRun


@dataclasses.dataclass(frozen=True)
class SpecPair:
    """A spec of the base and its counterpart in the run.

    Attributes:
        identity: `name:` and its name, or `spec:` and its position where it has none.
        name: the name, or None.
        base: position among the specs of the base; None if it has no such spec.
        run: position among those of the run, likewise.
    """

    identity: str
    name: str | None
    base: int | None
    run: int | None


def pair_specs(base: FinishedRun, run: FinishedRun) -> list[SpecPair]:
    """All specs of both runs by name, or by position where they have none: those of the run first.

    Of several with one name, the first of one run is paired with the first of the other, and so on.
    """
    of_base, of_run = _by_key(base), _by_key(run)
    keys = [*of_run, *(key for key in of_base if key not in of_run)]
    return [SpecPair(key[0], key[1], of_base.get(key), of_run.get(key)) for key in keys]


def shared_slices(base: FinishedRun, run: FinishedRun) -> Sequence[str]:
    """The slice keys by which both runs were graded, in order of the run."""
    return [key for key in run.manifest["slices"] if key in base.manifest["slices"]]


_Key = tuple[str, str | None, int]


def _by_key(run: FinishedRun) -> dict[_Key, int]:
    seen = collections.Counter[str]()
    found: dict[_Key, int] = {}
    for position, spec in enumerate(run.manifest["specs"]):
        name = spec["name"]
        identity = f"spec:{position}" if name is None else f"name:{name}"
        found[identity, name, seen[identity]] = position
        seen[identity] += 1
    return found
