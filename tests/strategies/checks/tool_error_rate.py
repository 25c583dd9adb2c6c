"""Parameters of tool-error-rate."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.measured_events import FAILURES
from tests.strategies.searching import TOOL_PATTERNS, tools

_LIMITS = [0, 0.1, 0.25, 0.3, 0.333, 0.5, 0.6666666666666666, 1]

STRATEGY = CheckStrategy(
    check_type="tool-error-rate",
    configs=st.fixed_dictionaries({"max": st.sampled_from(_LIMITS)}, optional={"tools": tools()}),
    examples=[
        *({"max": most} for most in _LIMITS),
        *({"max": 0, "tools": [pattern]} for pattern in TOOL_PATTERNS),
    ],
    columns={"events": FAILURES},
)
