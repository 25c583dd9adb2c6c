"""exit-success has no parameters."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy

STRATEGY = CheckStrategy(check_type="exit-success", configs=st.just({}), examples=[{}])
