"""Parameters of max-repeat."""

from hypothesis import strategies as st

from tests.strategies.calls import CALLS
from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import TOOL_PATTERNS, tools

LOOPS = {
    "match": st.sampled_from(["observation", "name", "name-args"]),
    "tools": tools(),
    "max_cycle_period": st.integers(1, 4),
}
"""The parameters that max-repeat and loop-outcome share."""

STRATEGY = CheckStrategy(
    check_type="max-repeat",
    configs=st.fixed_dictionaries({"max": st.integers(1, 4)}, optional=LOOPS),
    examples=[
        *({"max": 1, "match": match} for match in ("observation", "name", "name-args")),
        {"max": 2, "match": "name-args", "max_cycle_period": 2},
        {"max": 1, "match": "observation", "max_cycle_period": 10},
        *({"max": 1, "match": "name", "tools": [pattern]} for pattern in TOOL_PATTERNS),
    ],
    columns={"events": CALLS},
)
