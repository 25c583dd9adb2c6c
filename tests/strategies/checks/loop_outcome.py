"""Parameters of loop-outcome."""

from hypothesis import strategies as st

from tests.strategies.calls import CALLS
from tests.strategies.catalog import CheckStrategy
from tests.strategies.checks.max_repeat import LOOPS

STRATEGY = CheckStrategy(
    check_type="loop-outcome",
    configs=st.fixed_dictionaries(
        {"max_acceptable_retries": st.integers(0, 3)}, optional={**LOOPS, "should_loop": st.booleans()}
    ),
    examples=[
        {"max_acceptable_retries": 0},
        {"max_acceptable_retries": 0, "should_loop": True},
        {"max_acceptable_retries": 1, "should_loop": True, "max_cycle_period": 3},
        {"max_acceptable_retries": 1, "match": "observation"},
        {"max_acceptable_retries": 0, "match": "name", "tools": ["a"], "should_loop": True},
    ],
    columns={"events": CALLS},
)
