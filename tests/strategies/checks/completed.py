"""completed has no parameters."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy

STRATEGY = CheckStrategy(check_type="completed", configs=st.just({}), examples=[{}])
