"""The accounts of a run: whatever does not add up is found."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import pytest

from graders.outcome import AbstainCode
from graders.tally import Tally
from pipeline.errors import RunError
from pipeline.outputs.accounts import check_accounts
from pipeline.outputs.ledger import Ledger, read_ledger
from tests.columnar import load_entries

ENTRIES = load_entries(
    [
        {"type": "hasToolCall", "config": {"tool": "a"}},
        {"type": "outputMatches", "config": {"value": "a"}},
        {"type": "hasToolCall", "samples": ["s*"], "config": {"tool": "a"}},
    ]
)
NONE = (0,) * len(AbstainCode)
BALANCED = Ledger(
    cells={
        (0, "hasToolCall", "", ""): Tally(4, 6, NONE),
        (0, "hasToolCall", "model", "a"): Tally(4, 2, NONE),
        (0, "hasToolCall", "model", "b"): Tally(0, 4, NONE),
        (1, "outputMatches", "", ""): Tally(1, 2, (7, *NONE[1:])),
        (1, "outputMatches", "model", "a"): Tally(1, 2, (3, *NONE[1:])),
        (1, "outputMatches", "model", "b"): Tally(0, 0, (4, *NONE[1:])),
        (2, "hasToolCall", "", ""): Tally(3, 0, NONE),
        (2, "hasToolCall", "model", "a"): Tally(3, 0, NONE),
    },
    samples={
        (0, "", ""): [(2, 2, 1, 3), (4, 4, 0, 1)],
        (0, "model", "a"): [(2, 2, 1, 3)],
        (0, "model", "b"): [(4, 4, 0, 1)],
    },
    clusters={},
    replicates={},
    capped={},
    files={
        "verdicts": {"a.parquet": 13, "b.parquet": 10},
        "trajectories": {"t.parquet": 10},
        "samples": {"s.parquet": 8},
    },
    graded=10,
    quarantine=[{"file": "x", "row_group": 0, "row": 3, "rows": 2, "reason": "broken"}],
    repeated=0,
    repeated_rows=0,
    repeated_ids=[],
    examples={},
)


KEYS = {"first": (0, "hasToolCall"), "second": (1, "outputMatches"), "third": (2, "hasToolCall")}


def _cells(**changed: Tally | None) -> dict[str, Any]:
    """The cells with other tallies of all trajectories; None takes the whole check away."""
    gone = {KEYS[name] for name, tally in changed.items() if tally is None}
    cells = {key: tally for key, tally in BALANCED.cells.items() if key[:2] not in gone}
    return {"cells": {**cells, **{(*KEYS[name], "", ""): tally for name, tally in changed.items() if tally}}}


def _files(**rows: dict[str, int]) -> dict[str, Any]:
    return {"files": {**BALANCED.files, **rows}}


def test_a_balanced_ledger_is_good() -> None:
    assert check_accounts(BALANCED, ENTRIES, 12) == []
    assert check_accounts(BALANCED, ENTRIES, None) == [], "Avro files do not tell their rows"


IMBALANCES: dict[str, tuple[dict[str, Any], int | None, str]] = {
    "a row was lost": ({}, 13, "13 rows"),
    "a row came twice": ({}, 11, "11 rows"),
    "a row was graded and quarantined": (
        {"quarantine": [{**BALANCED.quarantine[0], "rows": 3}]},
        12,
        "3 in quarantine",
    ),
    "a verdict is missing": (
        {**_cells(first=Tally(4, 5, NONE)), **_files(verdicts={"a": 22})},
        12,
        "check 0",
    ),
    "a verdict too many": (
        {**_cells(second=Tally(1, 2, (8, *NONE[1:]))), **_files(verdicts={"a": 24})},
        12,
        "check 1",
    ),
    "more than all for some samples": (
        {**_cells(third=Tally(11, 0, NONE)), **_files(verdicts={"a": 31})},
        12,
        "check 2",
    ),
    "a cell is missing": ({**_cells(first=None), **_files(verdicts={"a": 13})}, 12, "check 0"),
    "a verdict was not written": (_files(verdicts={"a.parquet": 13, "b.parquet": 9}), 12, "22 written"),
    "a file came twice": (_files(verdicts={"a": 13, "b": 10, "c": 10}), 12, "33 written"),
    "no file": ({"files": {}}, 12, "0 written"),
    "a cell of no check": (
        {"cells": {**BALANCED.cells, (3, "hasToolCall", "", ""): Tally(0, 0, NONE)}},
        12,
        "cells that no check has",
    ),
    "a cell of another type": (
        {"cells": {**BALANCED.cells, (1, "hasToolCall", "", ""): Tally(0, 0, NONE)}},
        12,
        "cells that no check has",
    ),
    "a slice value lacks a verdict": (
        {"cells": {**BALANCED.cells, (0, "hasToolCall", "model", "b"): Tally(0, 3, NONE)}},
        12,
        "over the values of model",
    ),
    "a slice value counts another outcome": (
        {"cells": {**BALANCED.cells, (0, "hasToolCall", "model", "b"): Tally(1, 3, NONE)}},
        12,
        "over the values of model",
    ),
    "a slice is missing": (
        {
            "cells": {
                key: tally for key, tally in BALANCED.cells.items() if key[:3] != (2, "hasToolCall", "model")
            }
        },
        12,
        "check 2",
    ),
    "a trajectory was not scored": (_files(trajectories={"t": 9}), 12, "9 scores"),
    "a trajectory was scored twice": (_files(trajectories={"t": 10, "u": 1}), 12, "11 scores"),
    "a trial is missing": (
        {"samples": {**BALANCED.samples, (0, "", ""): [(2, 2, 1, 3), (3, 3, 0, 1)]}},
        12,
        "9 trials",
    ),
    "a trial of a slice is missing": (
        {"samples": {**BALANCED.samples, (0, "model", "b"): [(3, 3, 0, 1)]}},
        12,
        "9 trials of samples in spec 0 over the values of model",
    ),
    "a sample was not written": (_files(samples={"s": 7}), 12, "7 written"),
}


@pytest.mark.parametrize("kind", IMBALANCES)
def test_each_imbalance_is_found(kind: str) -> None:
    changes, known_rows, hint = IMBALANCES[kind]
    wrong = check_accounts(dataclasses.replace(BALANCED, **changes), ENTRIES, known_rows)
    assert any(hint in sentence for sentence in wrong), wrong


def test_fewer_verdicts_for_some_samples_are_good() -> None:
    ledger = dataclasses.replace(BALANCED, **_cells(third=None), **_files(verdicts={"a": 20}))
    assert check_accounts(ledger, ENTRIES, 12) == []


def test_a_file_that_breaks_off_counts_as_one_row() -> None:
    ledger = dataclasses.replace(BALANCED, quarantine=[{**BALANCED.quarantine[0], "rows": -1}])
    assert ledger.quarantined_rows == 1


def test_a_run_without_ledger_did_not_end(tmp_path: pathlib.Path) -> None:
    (tmp_path / "ledger-1.jsonl.part").write_text(json.dumps({"kind": "ids", "rows": 1}))
    with pytest.raises(RunError, match="ledger"):
        read_ledger(str(tmp_path))
