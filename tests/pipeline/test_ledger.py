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
from pipeline.outputs.ledger import Ledger, check_accounts, read_ledger
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
        (0, "hasToolCall"): Tally(4, 6, NONE),
        (1, "outputMatches"): Tally(1, 2, (7, *NONE[1:])),
        (2, "hasToolCall"): Tally(3, 0, NONE),
    },
    files={"a.parquet": 13, "b.parquet": 10},
    graded=10,
    quarantine=[{"file": "x", "row_group": 0, "row": 3, "rows": 2, "reason": "broken"}],
    repeated=0,
    repeated_rows=0,
    repeated_ids=[],
)


def _cells(**changed: Tally | None) -> dict[str, Any]:
    keys = {"first": (0, "hasToolCall"), "second": (1, "outputMatches"), "third": (2, "hasToolCall")}
    cells = {**BALANCED.cells, **{keys[name]: tally for name, tally in changed.items() if tally}}
    return {
        "cells": {key: tally for key, tally in cells.items() if changed.get(_name(keys, key), 1) is not None}
    }


def _name(keys: dict[str, Any], key: Any) -> str:
    return next(name for name, known in keys.items() if known == key)


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
    "a verdict is missing": ({**_cells(first=Tally(4, 5, NONE)), "files": {"a": 22}}, 12, "check 0"),
    "a verdict too many": ({**_cells(second=Tally(1, 2, (8, *NONE[1:]))), "files": {"a": 24}}, 12, "check 1"),
    "more than all for some samples": (
        {**_cells(third=Tally(11, 0, NONE)), "files": {"a": 31}},
        12,
        "check 2",
    ),
    "a cell is missing": ({**_cells(first=None), "files": {"a": 13}}, 12, "check 0"),
    "a verdict was not written": ({"files": {"a.parquet": 13, "b.parquet": 9}}, 12, "22 written"),
    "a file came twice": ({"files": {"a": 13, "b": 10, "c": 10}}, 12, "33 written"),
    "no file": ({"files": {}}, 12, "0 written"),
    "a cell of no check": (
        {"cells": {**BALANCED.cells, (3, "hasToolCall"): Tally(0, 0, NONE)}},
        12,
        "cells that no check has",
    ),
    "a cell of another type": (
        {"cells": {**BALANCED.cells, (1, "hasToolCall"): Tally(0, 0, NONE)}},
        12,
        "cells that no check has",
    ),
}


@pytest.mark.parametrize("kind", IMBALANCES)
def test_each_imbalance_is_found(kind: str) -> None:
    changes, known_rows, hint = IMBALANCES[kind]
    wrong = check_accounts(dataclasses.replace(BALANCED, **changes), ENTRIES, known_rows)
    assert any(hint in sentence for sentence in wrong), wrong


def test_fewer_verdicts_for_some_samples_are_good() -> None:
    ledger = dataclasses.replace(BALANCED, **_cells(third=None), files={"a": 20})
    assert check_accounts(ledger, ENTRIES, 12) == []


def test_a_file_that_breaks_off_counts_as_one_row() -> None:
    ledger = dataclasses.replace(BALANCED, quarantine=[{**BALANCED.quarantine[0], "rows": -1}])
    assert ledger.quarantined_rows == 1


def test_a_run_without_ledger_did_not_end(tmp_path: pathlib.Path) -> None:
    (tmp_path / "ledger-1.jsonl.part").write_text(json.dumps({"kind": "ids", "rows": 1}))
    with pytest.raises(RunError, match="ledger"):
        read_ledger(str(tmp_path))
