"""Parameters of token-budget, and recorded metrics."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.measured_events import TOKENS
from tests.strategies.usage import METRICS

_LIMITS = [0, 5, 10, 15, 2**53, 2**53 + 1, 2**63]

STRATEGY = CheckStrategy(
    check_type="token-budget",
    configs=st.fixed_dictionaries({"max": st.sampled_from(_LIMITS)}),
    examples=[{"max": most} for most in _LIMITS],
    columns={"metrics": METRICS, "events": TOKENS},
)
