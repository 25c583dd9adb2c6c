"""The identity of a check: what counts for it, and what does not."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from pipeline.specs.identity import check_identity
from pipeline.specs.load import load_spec

DONE: dict[str, Any] = {"type": "outputMatches", "config": {"value": "done"}}
JSON: dict[str, Any] = {"type": "output-json", "config": {"schema": {}}}
SCORES: dict[str, Any] = {"type": "score-range", "config": {"path": "a", "min": 1}}


def _both(*checks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "all-of", "config": {"checks": list(checks)}}


def _identities(tmp_path: pathlib.Path, *checks: dict[str, Any]) -> list[str]:
    (tmp_path / "spec.yaml").write_text(json.dumps({"version": 1, "checks": checks}))
    return [check_identity(entry) for entry in load_spec(str(tmp_path / "spec.yaml")).entries]


def test_a_name_is_an_identity(tmp_path: pathlib.Path) -> None:
    assert _identities(tmp_path, {**DONE, "name": "ä"}) == ["name:ä"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (DONE, {**DONE, "config": {"value": "done", "mode": "contains", "caseSensitive": True}}),
        (
            DONE,
            {**DONE, "advisory": True, "weight": 2, "samples": ["a"], "tags": {"b": "c"}, "negate": False},
        ),
        (SCORES, {**SCORES, "config": {"min": 1, "path": "a"}}),
        (_both(DONE, JSON), _both({**DONE, "negate": False}, JSON)),
    ],
)
def test_the_same(tmp_path: pathlib.Path, first: dict[str, Any], second: dict[str, Any]) -> None:
    one, two = _identities(tmp_path, first, second)
    assert one == two


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (DONE, {**DONE, "turn": 0}),
        (DONE, {**DONE, "negate": True}),
        (DONE, {**DONE, "config": {"value": "Done"}}),
        (DONE, {**DONE, "type": "output-equals"}),
        (JSON, {**JSON, "config": {"schema": {}, "equals": None}}),
        (_both(DONE, JSON), _both(JSON, DONE)),
        (_both(DONE, JSON), _both({**DONE, "negate": True}, JSON)),
        (_both(DONE, JSON), _both(DONE, {**JSON, "config": {"schema": {"type": "object"}}})),
        (_both(_both(DONE)), _both(_both(DONE, DONE))),
    ],
)
def test_different(tmp_path: pathlib.Path, first: dict[str, Any], second: dict[str, Any]) -> None:
    one, two = _identities(tmp_path, first, second)
    assert one != two


def test_it_stays_what_it_is(tmp_path: pathlib.Path) -> None:
    # Runs of today are compared with those of years to come.
    assert _identities(tmp_path, DONE) == [
        "sha256:ea824d3198ba7ef3729555a5e39fc67447759bc13c36a182289df9cfa4dd4f63"
    ]
