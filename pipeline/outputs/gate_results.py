"""Gates held against the tables of a run: what each limit found, and whether it is met."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from graders.paired import mcnemar
from pipeline.gates import BoundGate, MaxDrop, MinPassRate
from pipeline.outputs.gate_tables import GateCounts, GatePairs, GateTables, Records, Subject


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
    gates: Sequence[BoundGate], tables: Mapping[str, Records], transitions: Records | None
) -> list[GateResult]:
    """Hold every gate against the tables.

    Args:
        gates: the gates.
        tables: the rows of `summary` and `scores`.
        transitions: the rows of the comparison with a baseline; None where there is no baseline.

    Returns:
        A result per limit, spec and slice, met or not, in order of the gates.
    """
    by_subject = GateTables(tables, transitions)
    return [
        _result(number, bound, subject, finding)
        for number, bound in enumerate(gates)
        for subject in by_subject.subjects(bound)
        for finding in _findings(bound, subject, by_subject)
    ]


def _result(number: int, bound: BoundGate, subject: Subject, finding: _Finding) -> GateResult:
    key, value = subject.slice_
    target = bound.target if subject.spec is None else f"trajectories, {_spec_label(subject)}"
    return GateResult(
        gate=number,
        name=bound.gate.name or finding.condition,
        over=f"{target}, {key} = {value}" if key else target,
        slice_key=key,
        slice_value=value,
        place=bound.place,
        **dataclasses.asdict(finding),
    )


def _spec_label(subject: Subject) -> str:
    return f"spec {subject.spec}" if subject.spec_name is None else f"spec {subject.spec_name}"


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


def _findings(bound: BoundGate, subject: Subject, tables: GateTables) -> Iterator[_Finding]:
    counts = tables.counts(bound, subject)
    things = "verdicts" if subject.spec is None else "trajectories"
    for condition, (measure, is_least) in _MEASURES.items():
        limit = getattr(bound.gate, condition)
        if limit is None:
            continue
        value = measure(counts)
        if counts.total == 0:
            yield _without_data(condition, limit, f"there are no {things}")
        elif value is None:
            yield _without_data(condition, limit, f"none of the {things} is decided")
        else:
            yield _held(condition, limit, value, is_least=is_least)
    for condition, rates in (("min_pass_at_k", counts.pass_at_k), ("min_pass_hat_k", counts.pass_hat_k)):
        wanted: MinPassRate | None = getattr(bound.gate, condition)
        if wanted is not None:
            yield _held_at_k(f"{condition}.{wanted.k}", wanted, rates)
    if bound.gate.max_drop is not None:
        yield from _drops(bound.gate.max_drop, tables.pairs(bound, subject))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


_MEASURES: dict[str, tuple[Callable[[GateCounts], float | None], bool]] = {
    "min_total": (lambda counts: counts.total, True),
    "min_pass_rate": (lambda counts: _share(counts.passed, counts.passed + counts.failed), True),
    "max_fail": (lambda counts: counts.failed, False),
    "max_abstain_rate": (lambda counts: _share(counts.abstained, counts.total), False),
    "max_error_abstains": (lambda counts: counts.errors, False),
}
"""Of each condition what it measures, and whether its limit is the least that is wanted."""


def _held(condition: str, limit: float, value: float, *, is_least: bool) -> _Finding:
    is_met = value >= limit if is_least else value <= limit
    wanted = "at least" if is_least else "at most"
    return _Finding(condition, limit, value, is_met, f"{value:.6g}, {wanted} {limit:.6g} wanted")


def _held_at_k(condition: str, wanted: MinPassRate, rates: Sequence[float]) -> _Finding:
    if len(rates) < wanted.k:
        return _without_data(condition, wanted.min, f"no sample has {wanted.k} decided trials")
    return _held(condition, wanted.min, rates[wanted.k - 1], is_least=True)


def _without_data(condition: str, limit: float, why: str) -> _Finding:
    return _Finding(condition, limit, None, is_met=False, reason=f"no data: {why}")


def _drops(drop: MaxDrop, pairs: GatePairs | None) -> Iterator[_Finding]:
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
        elif pairs == GatePairs():
            yield _without_data(condition, limit, "nothing is decided in both runs")
        else:
            yield _drop(condition, limit, drop.alpha, pairs)


def _drop(condition: str, limit: float, alpha: float | None, pairs: GatePairs) -> _Finding:
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
