"""Parameters of turn-count."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.measured_events import ERRORS

STRATEGY = CheckStrategy(
    check_type="turn-count",
    configs=st.fixed_dictionaries({"max": st.integers(0, 4)}),
    examples=[{"max": most} for most in (0, 1, 2, 2**40)],
    columns={"events": ERRORS},
)
