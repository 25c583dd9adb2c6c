"""Agreement of judges with each other, and with labels that people gave.

A *rater* passes or fails trajectories: a check of a finished run, or a label in the metadata of its
input. What a rater abstains on is left out of every statistic that it is part of, and counted. The
verdicts of the raters are held in memory.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graders.arrays import to_texts
from graders.catalog import check_types
from graders.families.judged import JudgedCheck
from graders.judging.agreement import fleiss
from graders.paired import agreement
from graders.values import INVALID, Json, json_text, parse_json, parse_path, resolve
from pipeline import files
from pipeline.errors import invalid, nearest
from pipeline.outputs.check_pairs import find_checks
from pipeline.outputs.commit import VOTES
from pipeline.outputs.finished import FinishedRun, open_run
from pipeline.outputs.formats import TableForm
from pipeline.sources.inputs import WorkItem, find_inputs, read_pieces
from pipeline.sources.records import ColumnMap, ReadPlan

AGREEMENT_SCHEMA = pa.schema(
    [
        ("statistic", pa.string()),  # cohen, of two raters; fleiss, of all.
        ("rater", pa.string()),
        ("other", pa.string()),  # Null for fleiss.
        ("items", pa.int64()),  # Trajectories on which all of these raters decided.
        ("both_pass", pa.int64()),
        ("only_rater", pa.int64()),
        ("only_other", pa.int64()),
        ("both_fail", pa.int64()),
        ("undecided", pa.int64()),  # Trajectories that some of these raters left undecided.
        ("agreement", pa.float64()),
        ("kappa", pa.float64()),
    ]
)
AGREEMENT = TableForm("agreement", AGREEMENT_SCHEMA, frozenset({"statistic", "rater", "items", "undecided"}))


@dataclasses.dataclass(frozen=True)
class Rater:
    """Who passes and fails trajectories.

    Attributes:
        name: what tables call it.
        passes: by trajectory id whether it passes; None where it abstains.
    """

    name: str
    passes: Mapping[str, bool | None]


def agree(directories: Sequence[str], checks: Sequence[str], labels: Sequence[str]) -> pa.Table:
    """The agreement of checks, by name or spec index, and of labels, as a table of `AGREEMENT_SCHEMA`.

    Args:
        directories: output directories of finished runs.
        checks: checks of these runs; none for all that a model judges. The judges of a panel are
            raters too.
        labels: `PATH=VALUE`, a label that passes where the metadata at PATH equals VALUE.

    Raises:
        InvalidError: a run, check or label is not there, or there are fewer than two raters.
    """
    runs = [open_run(directory) for directory in directories]
    raters = [*_check_raters(runs, checks), *(_label_rater(runs[0], label) for label in labels)]
    if len(raters) < 2:
        names = ", ".join(rater.name for rater in raters) or "none"
        raise invalid("gradebeam agreement", f"two raters are needed: checks or labels; there is {names}")
    return agreement_table(raters)


def agreement_table(raters: Sequence[Rater]) -> pa.Table:
    """A row per pair of raters, and where there are more than two, one for all of them."""
    rows = [_cohen(first, second) for first, second in itertools.combinations(raters, 2)]
    if len(raters) > 2:
        rows.append(_fleiss(raters))
    return pa.Table.from_pylist(rows, AGREEMENT_SCHEMA)


def _cohen(first: Rater, second: Rater) -> dict[str, Any]:
    pairs = [(first.passes[item], second.passes[item]) for item in _items((first, second))]
    decided = [(a, b) for a, b in pairs if a is not None and b is not None]
    counted = collections.Counter(decided)
    both, neither = counted[True, True], counted[False, False]
    only_first, only_second = counted[True, False], counted[False, True]
    observed, kappa = agreement(
        *(np.array([count]) for count in (both, only_first, only_second, len(decided)))
    )
    return {
        "statistic": "cohen",
        "rater": first.name,
        "other": second.name,
        "items": len(decided),
        "both_pass": both,
        "only_rater": only_first,
        "only_other": only_second,
        "both_fail": neither,
        "undecided": len(pairs) - len(decided),
        "agreement": _number(observed[0]),
        "kappa": _number(kappa[0]),
    }


def _fleiss(raters: Sequence[Rater]) -> dict[str, Any]:
    votes = [[rater.passes[item] for rater in raters] for item in _items(raters)]
    decided = [[vote for vote in row if vote is not None] for row in votes if None not in row]
    observed, kappa = fleiss([sum(row) for row in decided], len(raters))
    return {
        "statistic": "fleiss",
        "rater": ", ".join(rater.name for rater in raters),
        "items": len(decided),
        "undecided": len(votes) - len(decided),
        "agreement": observed,
        "kappa": kappa,
    }


def _items(raters: Sequence[Rater]) -> list[str]:
    """The trajectories that all of the raters have seen, sorted."""
    return sorted(set.intersection(*(set(rater.passes) for rater in raters)))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _check_raters(runs: Sequence[FinishedRun], named: Sequence[str]) -> Iterator[Rater]:
    found = dict.fromkeys(named, 0)
    judged = {name for name, check_type in check_types().items() if issubclass(check_type, JudgedCheck)}
    for run in runs:
        wanted = [check for name in named for check in find_checks(run.checks, name)] if named else run.checks
        chosen = {check.spec_index: check for check in wanted if named or check.check_type in judged}
        for name in named:
            found[name] += len(find_checks(run.checks, name))
        for spec_index, check in chosen.items():
            name = check.name or f"{check.check_type} {spec_index}"
            shown = name if len(runs) == 1 else f"{run.directory}: {name}"
            yield Rater(shown, _passes(run, spec_index))
            if check.check_type == "panel":
                yield from _panel_raters(run, spec_index, shown)
    for name, count in found.items():
        if not count:
            known = [check.name or str(check.spec_index) for run in runs for check in run.checks]
            raise invalid(f"--check {name}", f"no run has this check{nearest(name, known)}")


def _passes(run: FinishedRun, spec_index: int) -> dict[str, bool | None]:
    """The outcomes of a check."""
    return _outcomes(run.verdict_files, pc.field("spec_index") == spec_index)


def _panel_raters(run: FinishedRun, spec_index: int, name: str) -> Iterator[Rater]:
    """The judges of a panel, where the run has kept their votes."""
    paths = [files.join(run.directory, VOTES, item["name"]) for item in run.manifest.get("vote_files", ())]
    is_its = pc.field("spec_index") == spec_index
    judges = {judge for path in paths for judge in _read(path, ["judge"], is_its)["judge"].to_pylist()}
    for judge in sorted(judges):
        yield Rater(f"{name}, {judge}", _outcomes(paths, is_its & (pc.field("judge") == judge)))


def _outcomes(paths: Sequence[str], is_wanted: Any) -> dict[str, bool | None]:
    """By trajectory whether it passes; where an id has several rows that differ it is undecided."""
    passes: dict[str, bool | None] = {}
    for path in paths:
        rows = _read(path, ["trajectory_id", "outcome"], is_wanted)
        ids, outcomes = rows["trajectory_id"].to_pylist(), rows["outcome"].to_pylist()
        for trajectory, outcome in zip(ids, outcomes, strict=True):
            says = {"pass": True, "fail": False}.get(outcome)
            passes[trajectory] = says if passes.get(trajectory, says) == says else None
    return passes


def _read(path: str, columns: list[str], is_wanted: Any) -> pa.Table:
    with files.open_read(path) as file:
        return pq.read_table(file, columns=columns, filters=is_wanted)


def _label_rater(run: FinishedRun, label: str) -> Rater:
    text, equals, value = label.rpartition("=")
    if not equals or not text or not value:
        raise invalid(f"--label {label}", "expected PATH=VALUE: a path into the metadata, and what passes")
    try:
        path = parse_path(text)
    except ValueError as error:
        raise invalid(f"--label {label}", str(error)) from error
    passes: dict[str, bool | None] = {}
    for trajectory, metadata in _metadata(run):
        found = resolve(metadata, path) if metadata is not INVALID else INVALID
        passes[trajectory] = None if found is INVALID or found is None else _as_text(found) == value
    if not any(says is not None for says in passes.values()):
        raise invalid(f"--label {label}", f"no record of the run has a value at {text} of its metadata")
    return Rater(text, passes)


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json_text(value)


def _metadata(run: FinishedRun) -> Iterator[tuple[str, Json]]:
    """The id and the metadata of each record of a run's input."""
    needs = frozenset({"metadata"})
    columns = ColumnMap.of(run.manifest["columns"])
    inputs = find_inputs([item["path"] for item in run.manifest["inputs"]], columns, needs)
    plan = ReadPlan(needs, columns)
    for item in (item for file in inputs for item in file.items):
        yield from _metadata_of(item, plan)


def _metadata_of(item: WorkItem, plan: ReadPlan) -> Iterator[tuple[str, Json]]:
    with files.open_read(item.path) as file:
        for piece in read_pieces(item, file, plan):
            for batch in piece.trajectories()[0]:
                ids, texts = to_texts(batch.column("trajectory_id")), to_texts(batch.column("metadata"))
                yield from ((id_ or "", parse_json(text or "")) for id_, text in zip(ids, texts, strict=True))
