"""Schemas: what is refused before anything is graded, and what is bounded while it is."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from graders.families.json_schema import Schema
from tests.columnar import grade_rows

_NODE = {"properties": {"x": {"$ref": "#"}}, "type": "object"}
_TWICE = {"anyOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]}
# Each level is tried twice, so that a wrong value at the bottom costs 2 to the power of the depth.
_BRANCHING = {"$ref": "#/$defs/b", "$defs": {"b": {"type": "object", "properties": {"x": _TWICE}}}}


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"x": value}
    return value


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "https://example.com/x"}, "leads out"),
        ({"$ref": "file:///etc/hostname"}, "leads out"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "leads out"),
        ({"$ref": "http://["}, "leads out"),
        ({"$ref": "#/$defs/x"}, "leads out"),
        ({"$ref": "#x"}, "leads out"),
        ({"$ref": "#/a/b", "a": 5}, "leads out"),
        ({"$ref": "#/allOf/x", "allOf": [{}]}, "leads out"),
        ({"$dynamicRef": "#x"}, "leads out"),
        ({"properties": {"default": {"$ref": "other.json"}}}, "leads out"),
        ({"properties": {"enum": {"items": {"$ref": "#/x"}}}}, "leads out"),
        ({"$id": "https://example.com/a", "not": {"$ref": "b"}}, "leads out"),
        ({"$ref": "#/x-part", "x-part": {"type": "fruit"}}, "not a JSON Schema"),
        ({"$ref": "#/type", "type": "object"}, "not a JSON Schema"),
        ({"$ref": "#/x-part", "x-part": {"items": {"pattern": "("}}}, "invalid pattern"),
        ({"properties": {"const": {"pattern": "("}}}, "invalid pattern"),
        ({"$ref": "#"}, "comes back"),
        ({"allOf": [{"$ref": "#/allOf/0"}]}, "comes back"),
        ({"$dynamicAnchor": "n", "anyOf": [{"$dynamicRef": "#n"}]}, "comes back"),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"if": {"$ref": "#"}}}},
            "comes back",
        ),
        ({"patternProperties": {"a": {}}}, "patternProperties"),
        ({"$schema": "https://example.com/dialect"}, "\\$schema"),
        ({"items": {"$schema": "http://json-schema.org/draft-07/schema#"}}, "\\$schema"),
        ({"type": "fruit"}, "not a JSON Schema"),
    ],
)
def test_a_schema_that_cannot_be_followed_is_refused(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Schema(schema)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (_NODE, _nested(0) and {"x": {"x": {}}}, {"x": {"x": 1}}),
        ({"$anchor": "top", "properties": {"x": {"$ref": "#top"}}, "type": "object"}, {"x": {}}, {"x": 1}),
        (
            {
                "$id": "https://example.com/a",
                "items": {"$ref": "b"},
                "$defs": {"b": {"$id": "b", "type": "null"}},
            },
            [None],
            [1],
        ),
        ({"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}, "type": "array"}, [[]], [1]),
        ({"$ref": "#/definitions/t", "definitions": {"t": {"type": "null"}}}, None, 1),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]},
            [None, 1],
            [1],
        ),
        (
            {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True},
            2,
            1,
        ),
    ],
)
def test_references_and_drafts(schema: dict[str, Any], good: Any, bad: Any) -> None:
    assert Schema(schema).problem(good) is None
    assert Schema(schema).problem(bad) is not None


def test_a_schema_of_a_draft_keeps_its_patterns_bounded() -> None:
    """Its own `$schema` must not bring back the library's engine where it refers to itself."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "items": {"$ref": "#"},
        "pattern": r"^\pN$",
    }
    assert Schema(schema).problem(["1"]) is None
    assert Schema(schema).problem(["a"]) is not None


def test_branches_without_end_are_given_up() -> None:
    with pytest.raises(TimeoutError, match="too many references"):
        Schema(_BRANCHING).problem(_nested(60))
    (verdict,) = grade_rows(
        {"type": "output-json", "negate": True, "config": {"schema": _BRANCHING}},
        [{"trajectory_id": "t", "events": [], "output": "{" + '"x":{' * 60 + '"x":1' + "}" * 61}],
    )
    assert verdict is not None
    assert (verdict.outcome, verdict.code) == ("abstain", "TIMEOUT")


def test_a_cycle_that_only_the_run_shows_is_given_up() -> None:
    """Which schema a dynamic reference means depends on the way that led there."""
    inner = {"$id": "b", "$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n"}}}
    schema = {"$id": "https://example.com/a", "$dynamicAnchor": "n", "$ref": "b", "$defs": {"b": inner}}
    with pytest.raises(TimeoutError, match="too deep"):
        Schema(schema).problem(1)


def test_a_verdict_does_not_depend_on_the_stack_below() -> None:
    """Every level of the value passes through several schemas, each several frames."""
    again = {"allOf": [{"if": True, "then": {"properties": {"x": {"$ref": "#/$defs/b"}}}}]}
    branches = {"allOf": [{"anyOf": [{"oneOf": [{"$ref": "#/$defs/c"}]}]}]}
    schema = Schema({"$ref": "#/$defs/b", "$defs": {"b": branches, "c": again}})
    limit = sys.getrecursionlimit()
    assert schema.problem(_nested(99)) is None
    assert sys.getrecursionlimit() == limit
