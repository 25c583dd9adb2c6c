"""Parameters of diff-not-contains."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import LITERALS, PATTERNS
from tests.strategies.workspace import DIFFS, TURN_DIFFS

STRATEGY = CheckStrategy(
    check_type="diff-not-contains",
    configs=st.one_of(
        st.fixed_dictionaries({"value": st.one_of(LITERALS, st.sampled_from(["+id=7", "x", "--- a"]))}),
        st.fixed_dictionaries({"pattern": st.sampled_from([*PATTERNS, r"(?m)^\+id"])}),
    ),
    examples=[{"value": "x"}, {"value": "é"}, {"pattern": "^$"}, {"pattern": r"(?m)^\+"}],
    columns={"diff": DIFFS, "turn_diffs": TURN_DIFFS},
)
