"""Gathering what a report shows: examples of what failed, and their conversations from the inputs."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from graders.batch import TrajectoryBatch
from pipeline.outputs.conversation import conversation, record_of
from pipeline.outputs.examples import Example, Examples, by_rank
from pipeline.outputs.near_misses import Difference, difference
from pipeline.outputs.render.html import ReportData
from pipeline.sources.inputs import InputFile
from pipeline.sources.lookup import in_order, read_trajectories, within
from pipeline.sources.records import ColumnMap

_READ_BYTES = 512 * 1024 * 1024
_NEAR_SHARE = 8  # Most examples are in an eighth of what may be read; the rest is for rare ones.
_PAGE_BYTES = 6 * 1024 * 1024
_GONE = "The conversation is not on this page: the inputs of the run were not there when it was made."
_LEFT_OUT = "The conversation is not on this page, which holds a sample; this shows it in a terminal:"


def near_hash(inputs: Sequence[InputFile]) -> int:
    """The largest hash of the work items that are read again: the first ones, within a budget.

    Where not all can be read, most examples come from these, so that most conversations are there.
    """
    parts = in_order(inputs)
    return within(parts, _READ_BYTES // _NEAR_SHARE)[-1].hash if parts else -1


def gather(
    name: str,
    manifest: Mapping[str, Any],
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    comparison: Mapping[str, Any] | None,
    examples: Examples,
    inputs: Sequence[InputFile] | None,
) -> ReportData:
    """What the report of a run shows.

    Args:
        name: the directory of the run, as its user names it.
        manifest: its manifest.
        tables: the rows of its tables `summary` and `scores`.
        comparison: a comparison with a baseline, if there is one.
        examples: its examples.
        inputs: its inputs; None where they are gone.
    """
    columns = ColumnMap.of(manifest["columns"])
    wanted = by_rank(examples)
    ranks = {example.trajectory_id: rank for rank, example in reversed(list(enumerate(wanted)))}
    holding = {example.part for example in wanted}
    parts = [part for part in in_order(inputs or []) if part.hash in holding]
    found = read_trajectories(parts, columns, ranks, _READ_BYTES) if parts else {}
    return ReportData(
        manifest=manifest,
        tables=tables,
        examples=examples,
        conversations=_conversations(wanted, found),
        differences=_differences(manifest, examples, found),
        missing=_GONE if inputs is None else _LEFT_OUT,
        comparison=comparison,
        directory=name,
    )


def _conversations(
    wanted: Sequence[Example], found: Mapping[str, pa.RecordBatch]
) -> dict[str, dict[str, Any]]:
    """The conversations that fit on a page, in the order of the examples."""
    marked: dict[str, set[int]] = {}
    for example in wanted:
        marked.setdefault(example.trajectory_id, set()).add(example.event_index)
    conversations: dict[str, dict[str, Any]] = {}
    size = 0
    for id_, indexes in marked.items():
        if id_ not in found:
            continue
        shown = conversation(found[id_], indexes - {-1})
        size += len(json.dumps(shown, ensure_ascii=False).encode())
        if size > _PAGE_BYTES:
            break
        conversations[id_] = shown
    return conversations


def _differences(
    manifest: Mapping[str, Any], examples: Examples, found: Mapping[str, pa.RecordBatch]
) -> dict[tuple[int, str], Difference]:
    checks = {check["spec_index"]: check for check in manifest["checks"]}

    @functools.cache
    def record(id_: str) -> dict[str, Any]:
        (output,) = TrajectoryBatch(found[id_]).output.to_texts()
        return {**record_of(found[id_]), "output": output}

    differences: dict[tuple[int, str], Difference] = {}
    for (spec_index, outcome), listed in examples.items():
        check = checks[spec_index]
        # What one turn was compared with is not what the whole record holds.
        if outcome != "fail" or check["negate"] or check["turn"] is not None:
            continue
        for example in listed:
            id_ = example.trajectory_id
            if id_ in found:
                lines = difference(check["check_type"], check["config"], record(id_), example.event_index)
                differences[spec_index, id_] = lines
    return differences
