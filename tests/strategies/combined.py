"""Parts of combinations: checks of every kind, some of them negated, some combinations themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.strategies import workspace
from tests.strategies.calls import CALLS
from tests.strategies.checks import (
    argument_from_result,
    custom_metrics,
    diff_contains,
    diff_empty,
    file_exists,
    file_not_contains,
    has_tool_call,
    loop_outcome,
    output_matches,
    tool_call_contains,
    tool_calls,
    trajectory_match,
    transcript_not_contains,
)

_KINDS = [
    module.STRATEGY
    for module in (
        argument_from_result,
        custom_metrics,
        diff_contains,
        diff_empty,
        file_exists,
        file_not_contains,
        has_tool_call,
        loop_outcome,
        output_matches,
        tool_call_contains,
        tool_call_contains,
        tool_calls,
        trajectory_match,
        transcript_not_contains,
    )
]
_INVALID: dict[str, Any] = {
    "type": "assistant-contains-tool-output",
    "config": {"tools": ["a"], "pattern": "("},
}
_ALLOW_TURN = {kind.check_type: kind.allows_turn for kind in _KINDS} | {_INVALID["type"]: True}

COLUMNS: Mapping[str, st.SearchStrategy[Any]] = {
    "events": CALLS,
    "files": workspace.FILES,
    "diff": workspace.DIFFS,
    "turn_diffs": workspace.TURN_DIFFS,
    "artifacts": workspace.ARTIFACTS,
    "reference": st.one_of(
        output_matches.STRATEGY.columns["reference"], trajectory_match.STRATEGY.columns["reference"]
    ),
}


def _part(check_type: str, configs: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just(check_type), "config": configs}, optional={"negate": st.booleans()}
    )


_SIMPLE = st.one_of(*(_part(kind.check_type, kind.configs) for kind in _KINDS))
# Bad arguments decide most where several parts look at the same call.
_DOUBTFUL = st.one_of(
    _part(
        "toolCallContains",
        st.sampled_from([{"tool": "a", "arguments": {}}, {"tool": "a", "arguments": {"a": "x"}}]),
    ),
    _part("tool-calls", st.just({"required": [{"name": "^a$", "args": {"a": "x"}}]})),
    _part("hasToolCall", st.just({"tool": "a"})),
    _part(_INVALID["type"], st.just(_INVALID["config"])),
)


def _lists(parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(parts, min_size=1, max_size=3)


def _with_n(parts: list[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.integers(1, len(parts)).map(lambda n: {"n": n, "checks": parts})


def _nested(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    lists = _lists(inner)
    plain = lists.map(lambda parts: {"checks": parts})
    return st.one_of(
        _part("all-of", plain), _part("any-of", plain), _part("at-least", lists.flatmap(_with_n))
    )


PARTS = st.recursive(st.one_of(_SIMPLE, _DOUBTFUL), _nested, max_leaves=4)
CONFIGS = _lists(PARTS).map(lambda parts: {"checks": parts})
CONFIGS_WITH_N = _lists(PARTS).flatmap(_with_n)


def allows_turn(config: dict[str, Any]) -> bool:
    """Whether all parts may be scoped to a turn."""
    return all(
        allows_turn(part["config"]) if "checks" in part["config"] else _ALLOW_TURN[part["type"]]
        for part in config["checks"]
    )


_CALLED = {"type": "hasToolCall", "config": {"tool": "a"}}
_GIVEN = {"type": "toolCallContains", "config": {"tool": "a", "arguments": {"a": 1}}}
_GIVEN_MORE = {"type": "toolCallContains", "config": {"tool": "a", "arguments": {"b": 2}}}
_SAID = {"type": "outputMatches", "config": {"value": "x"}}
_UNKNOWN = {"type": "outputMatches", "config": {"referencePath": "nowhere"}}
_LEFT = {"type": "file-exists", "config": {"path": "**"}}
_CLEAN = {"type": "diff-empty", "config": {}}

EXAMPLES: list[list[dict[str, Any]]] = [
    [_CALLED, _SAID],
    [_GIVEN, {**_CALLED, "negate": True}],
    [{**_GIVEN, "negate": True}, _SAID],
    [_UNKNOWN, _CLEAN],
    [_CLEAN, _UNKNOWN, _CALLED],
    [_LEFT, _CALLED],
    [_LEFT],
    [{"type": "any-of", "config": {"checks": [_CALLED]}}, _CLEAN],
    [_GIVEN, _CLEAN],
    [_GIVEN, {**_GIVEN_MORE, "negate": True}],
    [{**_GIVEN, "negate": True}],
    [_GIVEN, {"type": "any-of", "config": {"checks": [{**_GIVEN_MORE, "negate": True}]}}],
    [_GIVEN, {"type": "any-of", "config": {"checks": [_SAID, {**_CALLED, "negate": True}]}}],
    [{"type": "all-of", "negate": True, "config": {"checks": [_GIVEN, _SAID]}}, _CALLED],
    [_INVALID, _CALLED],
    [_GIVEN, {**_INVALID, "negate": True}],
    [{"type": "any-of", "negate": True, "config": {"checks": [_INVALID, _SAID]}}],
]
