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
        {"max_acceptable_retries": retries, "should_loop": should_loop, **more}
        for retries in (0, 1)
        for should_loop in (False, True)
        for more in ({}, {"max_cycle_period": 3}, {"match": "observation"}, {"match": "name", "tools": ["a"]})
    ],
    columns={"events": CALLS},
)
