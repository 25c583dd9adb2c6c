"""Parameters of toolCallContains."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.records import JSON_OBJECTS, TOOLS

STRATEGY = CheckStrategy(
    check_type="toolCallContains",
    configs=st.fixed_dictionaries({"tool": st.sampled_from(["a", "a", *TOOLS]), "arguments": JSON_OBJECTS}),
    examples=[
        {"tool": "a", "arguments": {}},
        {"tool": "a", "arguments": {"a": 1}},
        {"tool": "a", "arguments": {"a": True}},
        {"tool": "a", "arguments": {"a": None}},
        {"tool": "a.b", "arguments": {"a": {"b": [1, {"c": 2}]}}},
    ],
)
