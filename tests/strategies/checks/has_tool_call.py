"""Parameters of hasToolCall."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.records import TOOLS

STRATEGY = CheckStrategy(
    check_type="hasToolCall",
    configs=st.fixed_dictionaries({"tool": st.sampled_from([*TOOLS, "a\x00", "never"])}),
    examples=[{"tool": "a"}, {"tool": "a.b"}, {"tool": "ä"}],
)
