"""The tables of a run as gates look at them: counts and pairs by what a gate is for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from graders.outcome import AbstainClass, AbstainCode
from pipeline.gates import BoundGate

Records = Sequence[Mapping[str, Any]]
Slice = tuple[str, str]

_ERROR_CODES = [code.name for code in AbstainCode if code.abstain_class is AbstainClass.ERROR]


class Subject(NamedTuple):
    """What a gate is held against.

    Attributes:
        slice_: slice key and value; both empty for all trajectories.
        spec: position of the spec whose trajectories count; None where verdicts do.
        spec_name: its name, if it has one.
    """

    slice_: Slice
    spec: int | None = None
    spec_name: str | None = None


@dataclasses.dataclass(frozen=True)
class GateCounts:
    """Sums over the verdicts or trajectories of a gate in one slice.

    Attributes:
        total: all of them.
        passed: those that pass.
        failed: those that fail.
        abstained: the rest; of trajectories the undecided ones.
        errors: abstentions of the class error.
        pass_at_k: pass@k of trajectories, k = 1 first.
        pass_hat_k: pass^k of trajectories, likewise.
    """

    total: int = 0
    passed: int = 0
    failed: int = 0
    abstained: int = 0
    errors: int = 0
    pass_at_k: tuple[float, ...] = ()
    pass_hat_k: tuple[float, ...] = ()

    def __add__(self, other: GateCounts) -> GateCounts:
        """The sums of both; of verdicts, which have no pass@k."""
        return GateCounts(
            self.total + other.total,
            self.passed + other.passed,
            self.failed + other.failed,
            self.abstained + other.abstained,
            self.errors + other.errors,
        )


@dataclasses.dataclass(frozen=True)
class GatePairs:
    """How often pass and fail of the base became pass and fail of the run.

    Attributes:
        kept: pass in both.
        lost: pass in the base, fail in the run.
        gained: fail in the base, pass in the run.
        failed: fail in both.
        ambiguous: verdicts of both runs that are in no pair, as their key occurs more than once.
    """

    kept: int = 0
    lost: int = 0
    gained: int = 0
    failed: int = 0
    ambiguous: int = 0

    @property
    def decided(self) -> int:
        """How many pairs pass or fail in both runs."""
        return self.kept + self.lost + self.gained + self.failed


class GateTables:
    """The tables of a run, by what gates are for."""

    def __init__(self, tables: Mapping[str, Records], transitions: Records | None) -> None:
        """Sort the rows.

        Args:
            tables: the rows of `summary` and `scores`.
            transitions: the rows of the comparison with a baseline; None where there is no baseline.
        """
        self._verdicts: dict[Slice, dict[int, GateCounts]] = {}
        for row in tables["summary"]:
            reasons = row["abstain_reasons"]
            errors = sum(reasons.get(code, 0) for code in _ERROR_CODES)
            counts = GateCounts(row["total"], row["passed"], row["failed"], row["abstained"], errors)
            self._verdicts.setdefault(_slice_of(row), {})[row["spec_index"]] = counts
        self._trajectories: dict[Slice, dict[int, GateCounts]] = {}
        self._spec_names: dict[int, str | None] = {}
        for row in tables["scores"]:
            counts = GateCounts(
                *(row[name] for name in ("total", "passed", "failed", "undecided")),
                pass_at_k=tuple(row["pass_at_k"]),
                pass_hat_k=tuple(row["pass_hat_k"]),
            )
            self._trajectories.setdefault(_slice_of(row), {})[row["spec"]] = counts
            self._spec_names[row["spec"]] = row["spec_name"]
        self._transitions: dict[Slice, list[Mapping[str, Any]]] | None = None
        if transitions is not None:
            self._transitions = {}
            for row in transitions:
                self._transitions.setdefault(_slice_of(row), []).append(row)

    def subjects(self, bound: BoundGate) -> list[Subject]:
        """What a gate is held against, slice by slice; a slice that is not there is among them."""
        slices = self._slices(bound)
        if not bound.is_over_trajectories:
            return [Subject(slice_) for slice_ in slices]
        specs = sorted(self._spec_names) if bound.spec is None else [bound.spec]
        return [Subject(slice_, spec, self._spec_names.get(spec)) for spec in specs for slice_ in slices]

    def _slices(self, bound: BoundGate) -> list[Slice]:
        if bound.gate.slice is None:
            return [("", "")]
        ((key, value),) = bound.gate.slice.items()
        if value is not None:
            return [(key, value)]
        return sorted(slice_ for slice_ in self._verdicts if slice_[0] == key) or [(key, "")]

    def counts(self, bound: BoundGate, subject: Subject) -> GateCounts:
        """The sums of a gate; zeros where there is nothing."""
        if subject.spec is not None:
            return self._trajectories.get(subject.slice_, {}).get(subject.spec, GateCounts())
        cells = self._verdicts.get(subject.slice_, {})
        return sum((cells[index] for index in bound.spec_indexes if index in cells), GateCounts())

    def pairs(self, bound: BoundGate, subject: Subject) -> GatePairs | None:
        """The pairs of a gate that are decided in both runs, and what is in none; None without a baseline."""
        if self._transitions is None:
            return None
        steps = [
            [
                *(row[f"{old}_to_{new}"] for old in ("pass", "fail") for new in ("pass", "fail")),
                row["ambiguous_base"] + row["ambiguous_run"],
            ]
            for row in self._transitions.get(subject.slice_, [])
            if _is_about(row, bound, subject)
        ]
        return GatePairs(*map(sum, zip(*steps, strict=True))) if steps else GatePairs()


def _is_about(row: Mapping[str, Any], bound: BoundGate, subject: Subject) -> bool:
    """Whether a row of transitions is of a check, or of the trajectories, that a gate is for."""
    if subject.spec is not None:
        return row["scope"] == "trajectory" and row["run_spec"] == subject.spec
    return row["scope"] == "check" and not set(bound.spec_indexes).isdisjoint(row["run_spec_indexes"])


def _slice_of(row: Mapping[str, Any]) -> Slice:
    return row["slice_key"], row["slice_value"]
