"""Parameters of step-count."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import TOOL_PATTERNS, tools

STRATEGY = CheckStrategy(
    check_type="step-count",
    configs=st.fixed_dictionaries({"max": st.integers(0, 4)}, optional={"tools": tools()}),
    examples=[
        {"max": 0},
        {"max": 1},
        {"max": 2},
        *({"max": 0, "tools": [pattern]} for pattern in TOOL_PATTERNS),
        {"max": 1, "tools": ["^a$", "b"]},
    ],
)
