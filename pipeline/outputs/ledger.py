"""The ledger of a run: what came of everything, read back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graders.resampling import Counts
from graders.slices import OTHER
from graders.statistics import Clusters
from graders.tally import Tally
from pipeline import files
from pipeline.errors import RunError
from pipeline.outputs.commit import VERDICTS
from pipeline.outputs.examples import Example, Examples

Cell = tuple[int, str, str, str]
"""(spec index, check type, slice key, slice value); the last two are "" for all trajectories."""

SampleCount = tuple[int, int, int, int]
"""(trials, decided, passed, how many samples have these)."""


@dataclasses.dataclass(frozen=True)
class CappedSlice:
    """A slice key with more values than are kept apart.

    Attributes:
        kept: how many values are kept apart.
        merged: how many are one value together, or about how many.
        is_exact: whether `merged` is exact.
        trajectories: how many trajectories have one of these.
    """

    kept: int
    merged: int
    is_exact: bool
    trajectories: int


@dataclasses.dataclass(frozen=True)
class Ledger:
    """What came of a run.

    Attributes:
        cells: the tally of each cell.
        samples: per (spec, slice key, slice value) how many samples have which counts.
        clusters: per cell what its clustered error rests on.
        replicates: per (spec index, check type), or (spec, "") for a whole spec, how many passed and
            how many were decided in each bootstrap replicate; empty without a bootstrap.
        capped: the slice keys of which values are merged.
        files: by table the rows of each file that counts, by its name.
        graded: how many trajectories were read and graded.
        quarantine: rows that could not be read, in order of their place.
        repeated: how many ids more than one trajectory has.
        repeated_rows: how many trajectories have one of them.
        repeated_ids: the first thousand of these ids, sorted.
        examples: verdicts that did not pass, of each check some.
    """

    cells: Mapping[Cell, Tally]
    samples: Mapping[tuple[int, str, str], Sequence[SampleCount]]
    clusters: Mapping[Cell, Clusters]
    replicates: Mapping[tuple[int, str], tuple[Counts, Counts]]
    capped: Mapping[str, CappedSlice]
    files: Mapping[str, Mapping[str, int]]
    graded: int
    quarantine: Sequence[Mapping[str, Any]]
    repeated: int
    repeated_rows: int
    repeated_ids: Sequence[str]
    examples: Examples

    @property
    def quarantined_rows(self) -> int:
        """How many rows are known to be unreadable."""
        return sum(max(rows["rows"], 1) for rows in self.quarantine)

    @property
    def whole_cells(self) -> Mapping[tuple[int, str], Tally]:
        """The tally of each (spec index, check type) over all trajectories."""
        return {cell[:2]: tally for cell, tally in self.cells.items() if not cell[2]}

    @property
    def verdict_files(self) -> Mapping[str, int]:
        """Rows of each verdict file that counts, by its name."""
        return self.files.get(VERDICTS, {})


LISTED_IDS = 1000
"""How many of the repeated ids are named."""


def read_lines(directory: str) -> dict[str, list[dict[str, Any]]]:
    """Read the lines that `WriteLedger` left in a directory, by their kind.

    Raises:
        RunError: there are none, so the run did not come to its end.
    """
    found = files.list_names(directory, "ledger-", ".jsonl")
    if not found:
        raise RunError(
            "the run left no ledger: it did not come to its end, or its workers wrote elsewhere, because"
            f" they do not share {directory} with this machine"
        )
    with files.open_read(files.join(directory, found[0])) as file:
        lines = [json.loads(line) for line in file.read().splitlines()]
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        by_kind.setdefault(line.pop("kind"), []).append(line)
    return by_kind


def read_ledger(directory: str) -> Ledger:
    """Read the ledger of a run.

    Raises:
        RunError: there is none, so the run did not come to its end.
    """
    by_kind = read_lines(directory)
    ids = by_kind.get("ids", [])
    quarantine = sorted(
        by_kind.get("quarantine", []), key=lambda rows: (rows["file"], rows["row_group"], rows["row"])
    )
    samples = _samples(by_kind.get("histogram", []))
    kept = _kept_values(samples)
    written: dict[str, dict[str, int]] = {}
    for line in by_kind.get("file", []):
        written.setdefault(line["table"], {})[line["name"]] = line["rows"]
    return Ledger(
        cells=_cells(by_kind.get("cell", []), kept),
        samples=samples,
        clusters=_clusters(by_kind.get("moments", []), kept),
        replicates={
            (line["key"][0], line["key"][1]): (np.array(line["passed"]), np.array(line["decided"]))
            for line in by_kind.get("replicates", [])
        },
        capped=_capped(by_kind.get("distinct", []), samples, kept),
        files=written,
        graded=sum(line["rows"] for line in ids),
        quarantine=quarantine,
        repeated=sum(line["repeated"] for line in ids),
        repeated_rows=sum(line["repeated_rows"] for line in ids),
        repeated_ids=sorted(text for line in ids for text in line["repeated_ids"])[:LISTED_IDS],
        examples={
            (spec_index, outcome): [Example(*row) for row in line["rows"]]
            for line in sorted(by_kind.get("examples", []), key=lambda line: line["key"])
            for spec_index, outcome in [line["key"]]
        },
    )


Lines = Sequence[Mapping[str, Any]]
Kept = Mapping[str, frozenset[str]]


def _samples(lines: Lines) -> dict[tuple[int, str, str], list[SampleCount]]:
    return {
        (line["spec"], line["slice_key"], OTHER if value is None else value): [
            (trials, decided, passed, count) for trials, decided, passed, count in rows
        ]
        for line in lines
        for value, rows in line["rows"]
    }


def _kept_values(samples: Mapping[tuple[int, str, str], Any]) -> Kept:
    """The values of each slice key that are kept apart: each spec sees all trajectories, so they agree."""
    kept: dict[str, set[str]] = {}
    for _, slice_key, value in samples:
        kept.setdefault(slice_key, set()).add(value)
    return {slice_key: frozenset(values) for slice_key, values in kept.items()}


def _cells(lines: Lines, kept: Kept) -> dict[Cell, Tally]:
    """The cells. A check with selectors may keep values that are beyond the cap in the whole run."""
    cells: dict[Cell, Tally] = {}
    for line in lines:
        spec_index, check_type, slice_key, value = line["key"]
        cell = (spec_index, check_type, slice_key, value if value in kept.get(slice_key, ()) else OTHER)
        tally = Tally(*line["tally"])
        tally = tally._replace(abstained=tuple(tally.abstained))
        cells[cell] = cells[cell].merge(tally) if cell in cells else tally
    return cells


def _clusters(lines: Lines, kept: Kept) -> dict[Cell, Clusters]:
    found: dict[Cell, Clusters] = {}
    for line in lines:
        spec_index, check_type, slice_key = line["key"]
        for value, sums in line["rows"]:
            cell = (spec_index, check_type, slice_key, value if value in kept.get(slice_key, ()) else OTHER)
            earlier = found.get(cell, Clusters(0, 0, 0, 0))
            found[cell] = Clusters(*map(sum, zip(earlier, sums, strict=True)))
    return found


def _capped(
    lines: Lines, samples: Mapping[tuple[int, str, str], Sequence[SampleCount]], kept: Kept
) -> dict[str, CappedSlice]:
    capped: dict[str, CappedSlice] = {}
    for line in lines:
        slice_key = line["slice_key"]
        merged = samples.get((0, slice_key, OTHER))
        if merged:
            apart = len(kept[slice_key]) - 1
            trajectories = sum(trials * count for trials, _, _, count in merged)
            capped[slice_key] = CappedSlice(apart, line["count"] - apart, line["is_exact"], trajectories)
    return capped
