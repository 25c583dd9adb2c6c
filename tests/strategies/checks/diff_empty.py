"""Parameters of diff-empty: it has none."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.workspace import DIFFS, TURN_DIFFS

STRATEGY = CheckStrategy(
    check_type="diff-empty",
    configs=st.just({}),
    examples=[{}],
    columns={"diff": DIFFS, "turn_diffs": TURN_DIFFS},
)
