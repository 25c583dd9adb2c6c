"""Parameters of trajectory-match, and references that hold lists of calls."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.strategies.calls import CALLS
from tests.strategies.catalog import CheckStrategy
from tests.strategies.records import JSON_OBJECTS

MODES = ["exact", "unordered", "in_order", "any_order", "superset", "subset"]

_ARGUMENTS = st.one_of(
    st.sampled_from([{}, {"a": "x"}, {"a": "x"}, {"a": "7", "b": 1}, {"a": 1}, {"a": True}, {"b": 1}]),
    JSON_OBJECTS,
)
_CALLS = st.lists(
    st.fixed_dictionaries(
        {"tool": st.sampled_from(["a", "a", "b", "a.b", "never"])},
        optional={"arguments": st.one_of(_ARGUMENTS, _ARGUMENTS, st.none())},
    ),
    max_size=4,
)
_OPTIONS = {
    "mode": st.sampled_from(MODES),
    "args": st.sampled_from(["exact", "exact", "contains", "ignore"]),
    "ignore": st.lists(st.sampled_from(["b", "a.b", "a"]), max_size=2),
}


def _reworded(calls: list[dict[str, Any]]) -> st.SearchStrategy[str]:
    """The calls as JSON, under any names of the keys."""
    return st.tuples(st.sampled_from(["tool", "name"]), st.sampled_from(["arguments", "args", "kwargs"])).map(
        lambda names: json.dumps(
            [{names[("tool", "arguments").index(key)]: call[key] for key in call} for call in calls]
        )
    )


_LISTS = st.one_of(
    _CALLS.flatmap(_reworded),
    st.sampled_from(
        [
            *("[]", "null", "{}", '"a"', "[1]", "[{}]", "[", "[[]]", '[{"tool":""}]', '[{"tool":1}]'),
            *('[{"tool":"a","arguments":[]}]', '[{"tool":"a","arguments":"{}"}]', '[{"tool":"a"},null]'),
            '[{"tool":"a","id":1}]',
        ]
    ),
)
_REFERENCES = st.one_of(
    st.sampled_from([None, "", "[]", "{}", "{"]),
    st.builds('{{"calls":{},"plan":{{"a.b":{}}}}}'.format, _LISTS, _LISTS),
    st.builds('{{"calls":{}}}'.format, _LISTS),
)

STRATEGY = CheckStrategy(
    check_type="trajectory-match",
    configs=st.one_of(
        st.fixed_dictionaries({"calls": _CALLS}, optional=_OPTIONS),
        st.fixed_dictionaries(
            {"referencePath": st.sampled_from(["calls", "calls", '$.plan["a.b"]'])}, optional=_OPTIONS
        ),
    ),
    examples=[
        *({"mode": mode, "calls": [{"tool": "a"}, {"tool": "b", "arguments": {"a": 1}}]} for mode in MODES),
        *({"mode": mode, "calls": [{"tool": "a", "arguments": {"a": 1}}] * 2} for mode in MODES[:4]),
        *({"mode": mode, "calls": [{"tool": "a"}], "ignore": ["b"]} for mode in ("exact", "subset")),
        {"mode": "exact", "calls": [{"tool": "b"}, {"tool": "a"}], "ignore": ["b"]},
        {"args": "contains", "calls": [{"tool": "a", "arguments": {}}]},
        {"mode": "subset", "calls": []},
        {"referencePath": "calls", "args": "ignore"},
    ],
    columns={"events": CALLS, "reference": _REFERENCES},
)
