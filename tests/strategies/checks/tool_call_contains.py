"""Parameters of toolCallContains."""

from hypothesis import strategies as st

from tests.strategies.calls import CALLS
from tests.strategies.catalog import CheckStrategy
from tests.strategies.records import JSON_OBJECTS, TOOLS

_ARGUMENTS = st.sampled_from(
    [{}, {"a": "x"}, {"a": "7"}, {"b": 1}, {"a": 1}, {"a": True}, {"a": {"b": ["x"]}}]
)

STRATEGY = CheckStrategy(
    check_type="toolCallContains",
    configs=st.fixed_dictionaries(
        {"tool": st.sampled_from(["a", "a", *TOOLS]), "arguments": st.one_of(JSON_OBJECTS, _ARGUMENTS)}
    ),
    examples=[
        {"tool": "a", "arguments": {}},
        {"tool": "a", "arguments": {"a": 1}},
        {"tool": "a", "arguments": {"a": True}},
        {"tool": "a", "arguments": {"a": None}},
        {"tool": "a.b", "arguments": {"a": {"b": [1, {"c": 2}]}}},
    ],
    columns={"events": CALLS},
)
