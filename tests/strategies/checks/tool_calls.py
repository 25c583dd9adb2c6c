"""Parameters of tool-calls."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.calls import CALLS
from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import TOOL_PATTERNS

_TEXT_PATTERNS = st.sampled_from(["x", "^x", "7", "id=", "^$", ".", r"(?<=id=)7", r"(.)\1", "never"])
_JSON_PATTERNS = st.sampled_from(
    ['"a":"x"', r'^\{"a":"x"\}$', r"^\{\}$", r'"b":1\b', ":", "é", "^$", "x", "^.$"]
)
_NAMES = st.sampled_from(["^a$", "^a$", "b", "a", *TOOL_PATTERNS])

_FILTERS: dict[str, st.SearchStrategy[Any]] = {
    "name": _NAMES,
    "command": _TEXT_PATTERNS,
    "path": _TEXT_PATTERNS,
    "args": st.dictionaries(
        st.sampled_from(["a", "a", "b", "", "é"]), _TEXT_PATTERNS, min_size=1, max_size=2
    ),
    "pattern": _JSON_PATTERNS,
    "result": _TEXT_PATTERNS,
    "at_step": st.integers(0, 3),
    "before_step": st.integers(1, 3),
    "final": st.booleans(),
}


def _filters(**more: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """One to three filters, mostly with a name among them."""
    every = {**_FILTERS, **more}
    some = st.lists(st.sampled_from(sorted(every)), min_size=0, max_size=2, unique=True)
    return st.tuples(some, st.sampled_from(["name", "name", "name", "args", "result"])).flatmap(
        lambda picked: st.fixed_dictionaries({key: every[key] for key in {*picked[0], picked[1]}})
    )


_ENTRIES = st.one_of(_NAMES, _filters())
_REQUIRED = st.one_of(_NAMES, _filters(min_count=st.integers(1, 3)))


def _is_consistent(config: dict[str, Any]) -> bool:
    """A spec needs a list, and none of its entries may be required and disallowed at once."""
    required = [_plain(entry) for entry in config.get("required", [])]
    return bool(config) and not any(_plain(entry) in required for entry in config.get("disallowed", []))


def _plain(entry: str | dict[str, Any]) -> dict[str, Any]:
    filters = {"name": entry} if isinstance(entry, str) else dict(entry)
    filters.pop("min_count", None)
    return filters


CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "required": st.lists(_REQUIRED, min_size=1, max_size=2),
        "disallowed": st.lists(_ENTRIES, min_size=1, max_size=2),
        "sequence": st.lists(_ENTRIES, min_size=1, max_size=3),
        "parallel": st.lists(_ENTRIES, min_size=1, max_size=3),
    },
).filter(_is_consistent)

STRATEGY = CheckStrategy(
    check_type="tool-calls",
    configs=CONFIGS,
    examples=[
        {"required": ["a"]},
        {"required": [{"name": "^a$", "min_count": 2}, "b"]},
        {"required": [{"args": {"a": "x"}}]},
        {"required": [{"pattern": r'"a":1\b'}, {"name": "a", "result": "id="}]},
        {"required": [{"pattern": "^.$", "args": {"a": "."}}]},
        {"disallowed": ["b"]},
        {"disallowed": [{"pattern": r"^\["}]},
        {"disallowed": [{"pattern": '^{"a":"x"}$'}]},
        {"disallowed": [{"args": {"a": "."}}]},
        {"required": ["a"], "disallowed": [{"name": "^b$", "path": "."}]},
        {"sequence": ["a", "b"]},
        {"sequence": ["^a", "^a$", {"args": {"a": "^x"}}]},
        {"parallel": ["a", "a"]},
        {"parallel": ["^a$", "^b$"]},
        {"required": [{"at_step": 0}]},
        {"required": [{"name": "a", "before_step": 1}]},
        {"required": [{"name": "a", "final": True}]},
        {"disallowed": [{"name": "a", "final": False}]},
    ],
    columns={"events": CALLS},
)
