"""Gates held against the tables of a run: what each limit found, and whether it is met."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from graders.paired import mcnemar
from pipeline.gates import BoundGate, MaxDrop, MinPassRate
from pipeline.outputs.gate_tables import GateCounts, GatePairs, GateTables, Records, Subject
from pipeline.outputs.gate_words import (
    at_k_and_wanted,
    drop_and_wanted,
    drop_in_points,
    drop_in_shares,
    found_and_wanted,
    unpaired_words,
)
from pipeline.plurals import counted, plural


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
    target = bound.target if subject.spec is None else f"trajectories of {_spec_label(subject)}"
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
    noun = "verdict" if subject.spec is None else "trajectory"
    for condition, (measure, is_least) in _MEASURES.items():
        limit = getattr(bound.gate, condition)
        if limit is None:
            continue
        value = measure(counts)
        if counts.total == 0:
            yield _without_data(condition, limit, f"there are no {plural(noun)}")
        elif value is None:
            yield _without_data(condition, limit, f"none of the {plural(noun)} is decided")
        else:
            is_met = value >= limit if is_least else value <= limit
            reason = found_and_wanted(condition, counts, noun, limit, is_least=is_least)
            yield _Finding(condition, limit, value, is_met, reason)
    for condition, measure, rates in (
        ("min_pass_at_k", "pass@", counts.pass_at_k),
        ("min_pass_hat_k", "pass^", counts.pass_hat_k),
    ):
        wanted: MinPassRate | None = getattr(bound.gate, condition)
        if wanted is not None:
            yield _held_at_k(f"{condition}.{wanted.k}", measure, wanted, rates)
    if bound.gate.max_drop is not None:
        yield from _drops(bound.gate.max_drop, tables.pairs(bound, subject), noun)


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


def _held_at_k(condition: str, measure: str, wanted: MinPassRate, rates: Sequence[float]) -> _Finding:
    k, limit = wanted.k, wanted.min
    if len(rates) < k:
        return _without_data(condition, limit, f"no sample has {counted(k, 'decided trial')}")
    value = rates[k - 1]
    return _Finding(condition, limit, value, value >= limit, at_k_and_wanted(measure, k, value, limit))


def _without_data(condition: str, limit: float, why: str) -> _Finding:
    return _Finding(condition, limit, None, is_met=False, reason=f"no data: {why}")


def _drops(drop: MaxDrop, pairs: GatePairs | None, noun: str) -> Iterator[_Finding]:
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
        elif not pairs.decided:
            why = f"nothing is decided in both runs{unpaired_words(pairs, noun)}"
            yield _without_data(condition, limit, why)
        else:
            yield _drop(condition, limit, drop.alpha, pairs, noun)


def _drop(condition: str, limit: float, alpha: float | None, pairs: GatePairs, noun: str) -> _Finding:
    p = float(mcnemar(np.array([pairs.lost]), np.array([pairs.gained]))[0])
    fewer = pairs.lost - pairs.gained
    is_significant = alpha is None or p < alpha
    counts = "" if alpha is None else f"McNemar's p is {p:.6g}, a drop counts below {alpha:.6g}"
    if condition == "max_drop.alpha":
        reason = drop_and_wanted(pairs, noun, f"{fewer:,} fewer", counts)
        return _Finding(condition, limit, p, is_met=not (fewer > 0 and is_significant), reason=reason)
    is_relative = condition == "max_drop.relative"
    base = pairs.kept + pairs.lost if is_relative else pairs.decided
    value = fewer / base if base else 0.0  # Nothing passed in the base, so nothing can drop.
    in_words = drop_in_shares if is_relative else drop_in_points
    wanted = f"at most {in_words(limit)} wanted{f'; {counts}' if counts else ''}"
    reason = drop_and_wanted(pairs, noun, in_words(value), wanted)
    return _Finding(condition, limit, value, is_met=value <= limit or not is_significant, reason=reason)
