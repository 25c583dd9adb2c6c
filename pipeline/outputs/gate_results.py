"""Gates held against the tables of a run: what each limit found, and whether it is met."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from graders.outcome import AbstainClass, AbstainCode
from graders.paired import mcnemar
from pipeline.gates import BoundGate, MaxDrop

Records = Sequence[Mapping[str, Any]]
Slice = tuple[str, str]

_ERROR_CODES = [code.name for code in AbstainCode if code.abstain_class is AbstainClass.ERROR]


@dataclasses.dataclass(frozen=True)
class GateResult:
    """What came of one limit of a gate in one slice.

    Attributes:
        gate: the position of the gate among all of the run.
        name: what the gate is called; where the spec or job says nothing, the condition.
        over: the checks and the slice that it is for, in words.
        slice_key: the slice; empty for all trajectories.
        slice_value: its value.
        condition: which limit, such as `min_pass_rate` or `max_drop.absolute`.
        limit: its value.
        value: what was found; None without data.
        is_met: whether the value keeps to the limit.
        reason: what was found and wanted, or why nothing was found.
        place: where the gate is written.
    """

    gate: int
    name: str
    over: str
    slice_key: str
    slice_value: str
    condition: str
    limit: float
    value: float | None
    is_met: bool
    reason: str
    place: str


def evaluate_gates(
    gates: Sequence[BoundGate], summary: Records, transitions: Records | None
) -> list[GateResult]:
    """Hold every gate against the tables.

    Args:
        gates: the gates.
        summary: the rows of the summary.
        transitions: the rows of the comparison with a baseline; None where there is no baseline.

    Returns:
        A result per limit and slice, met or not, in order of the gates.
    """
    tables = _Tables(summary, transitions)
    return [
        _result(number, bound, slice_, finding)
        for number, bound in enumerate(gates)
        for slice_ in tables.slices(bound)
        for finding in _findings(bound, slice_, tables)
    ]


def _result(number: int, bound: BoundGate, slice_: Slice, finding: _Finding) -> GateResult:
    over = f"{bound.target}, {slice_[0]} = {slice_[1]}" if slice_[0] else bound.target
    return GateResult(
        gate=number,
        name=bound.gate.name or finding.condition,
        over=over,
        slice_key=slice_[0],
        slice_value=slice_[1],
        place=bound.place,
        **dataclasses.asdict(finding),
    )


def encode_gates(results: Sequence[GateResult]) -> bytes:
    """The file `gates.json`."""
    document = {
        "is_met": all(result.is_met for result in results),
        "results": [dataclasses.asdict(result) for result in results],
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


@dataclasses.dataclass(frozen=True)
class _Finding:
    condition: str
    limit: float
    value: float | None
    is_met: bool
    reason: str


@dataclasses.dataclass(frozen=True)
class _Counts:
    """Sums over the checks of a gate in one slice."""

    total: int = 0
    passed: int = 0
    failed: int = 0
    abstained: int = 0
    errors: int = 0

    def __add__(self, other: _Counts) -> _Counts:
        return _Counts(
            *(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True))
        )


class _Tables:
    """The tables of a run, by cell."""

    def __init__(self, summary: Records, transitions: Records | None) -> None:
        self._cells: dict[Slice, dict[int, _Counts]] = {}
        for row in summary:
            reasons = row["abstain_reasons"]
            errors = sum(reasons.get(code, 0) for code in _ERROR_CODES)
            counts = _Counts(row["total"], row["passed"], row["failed"], row["abstained"], errors)
            self._cells.setdefault((row["slice_key"], row["slice_value"]), {})[row["spec_index"]] = counts
        self._pairs: dict[Slice, list[tuple[set[int], list[int]]]] | None = None
        if transitions is not None:
            self._pairs = {}
            for row in transitions:
                if row["scope"] == "check":
                    steps = [row[f"{old}_to_{new}"] for old in ("pass", "fail") for new in ("pass", "fail")]
                    pair = (set(row["run_spec_indexes"]), steps)
                    self._pairs.setdefault((row["slice_key"], row["slice_value"]), []).append(pair)

    def slices(self, bound: BoundGate) -> list[Slice]:
        """The slices that a gate is for; one that is not there is among them."""
        if bound.gate.slice is None:
            return [("", "")]
        ((key, value),) = bound.gate.slice.items()
        if value is not None:
            return [(key, value)]
        return sorted(slice_ for slice_ in self._cells if slice_[0] == key) or [(key, "")]

    def counts(self, bound: BoundGate, slice_: Slice) -> _Counts:
        """The sums over the checks of a gate; zeros where there is nothing."""
        cells = self._cells.get(slice_, {})
        return sum((cells[index] for index in bound.spec_indexes if index in cells), _Counts())

    def pairs(self, bound: BoundGate, slice_: Slice) -> _Pairs | None:
        """The pairs of the checks of a gate that are decided in both runs; None without a baseline."""
        if self._pairs is None:
            return None
        wanted = set(bound.spec_indexes)
        found = [steps for indexes, steps in self._pairs.get(slice_, []) if indexes & wanted]
        return _Pairs(*map(sum, zip(*found, strict=True))) if found else _Pairs()


@dataclasses.dataclass(frozen=True)
class _Pairs:
    """How often pass and fail of the base became pass and fail of the run."""

    kept: int = 0
    lost: int = 0
    gained: int = 0
    failed: int = 0


def _findings(bound: BoundGate, slice_: Slice, tables: _Tables) -> Iterator[_Finding]:
    counts = tables.counts(bound, slice_)
    for condition, (measure, is_least) in _MEASURES.items():
        limit = getattr(bound.gate, condition)
        if limit is not None:
            yield _held(condition, limit, counts, measure(counts), is_least=is_least)
    if bound.gate.max_drop is not None:
        yield from _drops(bound.gate.max_drop, tables.pairs(bound, slice_))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


_MEASURES: dict[str, tuple[Callable[[_Counts], float | None], bool]] = {
    "min_total": (lambda counts: counts.total, True),
    "min_pass_rate": (lambda counts: _share(counts.passed, counts.passed + counts.failed), True),
    "max_fail": (lambda counts: counts.failed, False),
    "max_abstain_rate": (lambda counts: _share(counts.abstained, counts.total), False),
    "max_error_abstains": (lambda counts: counts.errors, False),
}
"""Of each condition what it measures, and whether its limit is the least that is wanted."""


def _held(condition: str, limit: float, counts: _Counts, value: float | None, *, is_least: bool) -> _Finding:
    if counts.total == 0:
        return _without_data(condition, limit, "there are no verdicts")
    if value is None:
        return _without_data(condition, limit, "every verdict abstains")
    is_met = value >= limit if is_least else value <= limit
    wanted = "at least" if is_least else "at most"
    return _Finding(condition, limit, value, is_met, f"{value:.6g}, {wanted} {limit:.6g} wanted")


def _without_data(condition: str, limit: float, why: str) -> _Finding:
    return _Finding(condition, limit, None, is_met=False, reason=f"no data: {why}")


def _drops(drop: MaxDrop, pairs: _Pairs | None) -> Iterator[_Finding]:
    """What came of the limits on a drop: those that are given, or its significance alone."""
    limits = {"absolute": drop.absolute, "relative": drop.relative}
    if drop.absolute is None and drop.relative is None:
        limits = {"alpha": drop.alpha}
    for name, limit in limits.items():
        if limit is None:
            continue
        condition = f"max_drop.{name}"
        if pairs is None:
            yield _without_data(condition, limit, "there is no baseline")
        elif pairs == _Pairs():
            yield _without_data(condition, limit, "nothing is decided in both runs")
        else:
            yield _drop(condition, limit, drop.alpha, pairs)


def _drop(condition: str, limit: float, alpha: float | None, pairs: _Pairs) -> _Finding:
    p = float(mcnemar(np.array([pairs.lost]), np.array([pairs.gained]))[0])
    fewer = pairs.lost - pairs.gained
    is_significant = alpha is None or p < alpha
    if condition == "max_drop.alpha":
        reason = f"{fewer:,} fewer pass, McNemar's p is {p:.6g}, a drop counts below {limit:.6g}"
        return _Finding(condition, limit, p, is_met=not (fewer > 0 and is_significant), reason=reason)
    passed = pairs.kept + pairs.lost
    base = passed if condition == "max_drop.relative" else passed + pairs.gained + pairs.failed
    value = fewer / base if base else 0.0  # Nothing passed in the base, so nothing can drop.
    note = "" if alpha is None else f"; McNemar's p is {p:.6g}, a drop counts below {alpha:.6g}"
    is_met = value <= limit or not is_significant
    return _Finding(
        condition, limit, value, is_met, f"a drop of {value:.6g}, at most {limit:.6g} wanted{note}"
    )
