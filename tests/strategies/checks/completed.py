"""completed has no parameters."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.measured_events import ERRORS

STRATEGY = CheckStrategy(
    check_type="completed", configs=st.just({}), examples=[{}], columns={"events": ERRORS}
)
