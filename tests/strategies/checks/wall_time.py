"""Parameters of wall-time, and recorded metrics."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.measured_events import TIMES
from tests.strategies.usage import METRICS

_LIMITS = ["0s", "1500ms", "1.5s", "1m30s", "1.5m", "0.0005ms", "1h", "90000ms", "99999999h"]

STRATEGY = CheckStrategy(
    check_type="wall-time",
    configs=st.fixed_dictionaries({"max": st.sampled_from(_LIMITS)}),
    examples=[{"max": most} for most in _LIMITS],
    columns={"metrics": METRICS, "events": TIMES},
)
