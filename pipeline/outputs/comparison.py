"""The comparison of two runs: its table of transitions, with the statistics that follow from it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from graders.arrays import replace_surrogates
from graders.paired import agreement, mcnemar, paired_difference
from graders.slices import OTHER
from graders.statistics import ratio
from graders.transitions import STATES, State, Transitions
from pipeline.errors import RunError
from pipeline.outputs.check_pairs import CheckPair
from pipeline.outputs.finished import FinishedRun
from pipeline.outputs.formats import TableForm
from pipeline.outputs.spec_pairs import SpecPair

_STEPS = [(base, run, f"{base.label}_to_{run.label}") for base, run in itertools.product(State, State)]

_SCHEMA = pa.schema(
    [
        ("scope", pa.string()),
        ("check", pa.int32()),
        ("identity", pa.string()),
        ("check_type", pa.string()),
        ("check_name", pa.string()),
        ("spec_name", pa.string()),
        ("base_spec", pa.int32()),
        ("run_spec", pa.int32()),
        ("base_spec_indexes", pa.list_(pa.int32())),
        ("run_spec_indexes", pa.list_(pa.int32())),
        ("slice_key", pa.string()),
        ("slice_value", pa.string()),
        ("advisory", pa.bool_()),
        *((name, pa.int64()) for _, _, name in _STEPS),
        ("ambiguous_base", pa.int64()),
        ("ambiguous_run", pa.int64()),
        ("paired", pa.int64()),
        ("decided", pa.int64()),
        ("only_base", pa.int64()),
        ("only_run", pa.int64()),
        ("base_pass_rate", pa.float64()),
        ("run_pass_rate", pa.float64()),
        ("difference", pa.float64()),
        ("difference_low", pa.float64()),
        ("difference_high", pa.float64()),
        ("mcnemar_p", pa.float64()),
        ("agreement", pa.float64()),
        ("kappa", pa.float64()),
    ]
)


TRANSITION_TABLE = TableForm(
    "transitions",
    _SCHEMA,
    never_null=frozenset({"scope", "slice_key", "slice_value", "mcnemar_p"}),
)
"""The table of transitions; it is written as Parquet and CSV."""

_LABELS = (
    *("scope", "check", "identity", "check_type", "check_name", "spec_name", "base_spec", "run_spec"),
    *("base_spec_indexes", "run_spec_indexes"),
    *("slice_key", "slice_value", "advisory"),
)

ComparedCell = tuple[int, str, str]
"""(number of the check, slice key, slice value): plain values, as Beam merges keys that are merely equal."""

ALL = ("", "")
"""The slice of all trajectories."""


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What a comparison of two runs found.

    Attributes:
        base: the run that was compared with.
        run: the run that was compared.
        pairs: the checks of both; a check's place here is its number.
        specs: the specs of both; the numbers of their trajectories go on after those of the checks.
        cells: what became of the verdicts of each check, and of the trajectories, in each slice.
        changes: rows of each file of changes, by its name.
        first_changes: the first hundred changes.
    """

    base: FinishedRun
    run: FinishedRun
    pairs: Sequence[CheckPair]
    specs: Sequence[SpecPair]
    cells: Mapping[ComparedCell, Transitions]
    changes: Mapping[str, int]
    first_changes: Sequence[Mapping[str, Any]]

    @property
    def slices(self) -> list[tuple[str, str]]:
        """The slices, as (key, value), sorted; the first is that of all."""
        return sorted({ALL, *((key, value) for _, key, value in self.cells)})

    def over(self, numbers: Iterable[int], slice_: tuple[str, str] = ALL) -> Transitions:
        """The sum over some checks in one slice."""
        found = Transitions()
        for number in numbers:
            found = found.merge(self.cells.get((number, *slice_), Transitions()))
        return found


def merge_capped(cells: Iterable[tuple[ComparedCell, Transitions]]) -> dict[ComparedCell, Transitions]:
    """The cells, where every check keeps the same values of a slice apart.

    One with fewer values may keep some that are beyond the cap of another: these join its `OTHER`.
    """
    listed = list(cells)
    largest: dict[tuple[int, str], str] = {}
    for (number, key, value), _ in listed:
        if value != OTHER:
            largest[number, key] = max(value, largest.get((number, key), value))
    bounds: dict[str, str] = {}
    for (number, key, value), _ in listed:
        if value == OTHER:
            bounds[key] = min(largest[number, key], bounds.get(key, largest[number, key]))
    merged: dict[ComparedCell, Transitions] = {}
    for (number, key, value), transitions in listed:
        cell = (number, key, OTHER if key in bounds and value > bounds[key] else value)
        merged[cell] = merged.get(cell, Transitions()).merge(transitions)
    return merged


def check_comparison(comparison: Comparison) -> None:
    """See that every trajectory, and every verdict of the compared checks, is counted.

    Raises:
        RunError: otherwise.
    """
    checks = len(comparison.pairs)
    everything = comparison.over(range(checks))
    trajectories = comparison.over(range(checks, checks + len(comparison.specs)))
    for name, run, counted in (
        ("base", comparison.base, trajectories.base_total),
        ("run", comparison.run, trajectories.run_total),
    ):
        if counted != run.trajectory_rows:
            raise RunError(
                f"the accounts do not add up: the {name} has {run.trajectory_rows:,} rows of trajectories,"
                f" but {counted:,} were compared"
            )
    sides = (
        ("base", comparison.base, everything.base_total, [pair.base for pair in comparison.pairs]),
        ("run", comparison.run, everything.run_total, [pair.run for pair in comparison.pairs]),
    )
    for name, run, counted, indexes in sides:
        is_whole = {index for group in indexes for index in group} == {c.spec_index for c in run.checks}
        if is_whole and counted != run.verdict_rows:
            raise RunError(
                f"the accounts do not add up: the {name} has {run.verdict_rows:,} verdicts,"
                f" but {counted:,} were compared"
            )


def transitions_table(comparison: Comparison) -> pa.Table:
    """One row per check and slice, then per check type, over all checks, and per spec of trajectories."""
    labels: list[dict[str, Any]] = []
    found: list[Transitions] = []
    for group, slice_ in itertools.product(_groups(comparison), comparison.slices):
        transitions = comparison.over(group.numbers, slice_)
        if slice_ == ALL or transitions != Transitions():
            labels.append({**group.labels, "slice_key": slice_[0], "slice_value": slice_[1]})
            found.append(transitions)
    plain = {name: [label[name] for label in labels] for name in _LABELS}
    return TRANSITION_TABLE.fill({**plain, **statistics_of(found)})


@dataclasses.dataclass(frozen=True)
class _Group:
    """Checks that are summed up, and what their rows say beside counts."""

    numbers: Sequence[int]
    labels: Mapping[str, Any]


def _groups(comparison: Comparison) -> list[_Group]:
    """Each check, the checks of each type, all of them, and the trajectories of each spec."""
    pairs = comparison.pairs
    empty = dict.fromkeys(_LABELS)
    single = [
        _Group(
            [number],
            {
                **empty,
                "scope": "check",
                "check": number,
                "identity": replace_surrogates(pair.identity),
                "check_type": pair.check_type,
                "check_name": None if pair.name is None else replace_surrogates(pair.name),
                "base_spec_indexes": pair.base,
                "run_spec_indexes": pair.run,
                "advisory": pair.advisory,
            },
        )
        for number, pair in enumerate(pairs)
    ]
    of_type: dict[str, list[int]] = {}
    for number, pair in enumerate(pairs):
        of_type.setdefault(pair.check_type, []).append(number)
    return [
        *single,
        *(_Group(of_type[name], {**empty, "scope": "type", "check_type": name}) for name in sorted(of_type)),
        _Group(range(len(pairs)), {**empty, "scope": "all"}),
        *(_trajectories(len(pairs) + number, spec, empty) for number, spec in enumerate(comparison.specs)),
    ]


def _trajectories(number: int, spec: SpecPair, empty: Mapping[str, Any]) -> _Group:
    labels = {
        "scope": "trajectory",
        "identity": replace_surrogates(spec.identity),
        "spec_name": None if spec.name is None else replace_surrogates(spec.name),
        "base_spec": spec.base,
        "run_spec": spec.run,
    }
    return _Group([number], {**empty, **labels})


def statistics_of(found: Sequence[Transitions]) -> dict[str, np.ndarray[Any, Any]]:
    """The columns of the table that follow from transitions, one element for each; NaN is null.

    Rates, their difference and the tests are over the pairs that pass or fail in both runs.
    """
    counts = np.array([transitions.counts for transitions in found], np.int64).reshape(-1, len(_STEPS))
    columns: dict[str, np.ndarray[Any, Any]] = {name: counts[:, at] for at, (_, _, name) in enumerate(_STEPS)}
    kept, lost, gained = (
        columns[f"{a}_to_{b}"] for a, b in (("pass", "pass"), ("pass", "fail"), ("fail", "pass"))
    )
    decided = kept + lost + gained + columns["fail_to_fail"]
    square = counts.reshape(-1, STATES, STATES)
    only_base, only_run = square[:, :, State.ABSENT].sum(axis=1), square[:, State.ABSENT].sum(axis=1)
    difference, low, high = paired_difference(kept, lost, gained, decided)
    agreed, kappa = agreement(kept, lost, gained, decided)
    return {
        **columns,
        "ambiguous_base": np.array([transitions.ambiguous_base for transitions in found], np.int64),
        "ambiguous_run": np.array([transitions.ambiguous_run for transitions in found], np.int64),
        "paired": counts.sum(axis=1) - only_base - only_run,
        "decided": decided,
        "only_base": only_base,
        "only_run": only_run,
        "base_pass_rate": ratio(kept + lost, decided),
        "run_pass_rate": ratio(kept + gained, decided),
        "difference": difference,
        "difference_low": low,
        "difference_high": high,
        "mcnemar_p": mcnemar(lost, gained),
        "agreement": agreed,
        "kappa": kappa,
    }
