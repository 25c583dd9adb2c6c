"""Parameters of custom-metrics."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.workspace import ARTIFACTS

_LIMITS = st.sampled_from([0, 1, 1.0, 0.5, -3, 2**53, 2**53 + 1, 1e300])
_ASSERTIONS = st.fixed_dictionaries(
    {"metric": st.sampled_from(["n", "n", "m", "é", "values"])},
    optional={
        "equals": st.sampled_from([1, 1.0, True, "1", None, [1], {"x": 1}, "é", 2**53 + 1, 0.5]),
        "min": _LIMITS,
        "max": _LIMITS,
    },
).filter(lambda assertion: len(assertion) > 1)

STRATEGY = CheckStrategy(
    check_type="custom-metrics",
    configs=st.fixed_dictionaries(
        {"assertions": st.lists(_ASSERTIONS, min_size=1, max_size=2)},
        optional={"path": st.sampled_from(["out/m.json", "é", "custom_metrics.json"])},
    ),
    examples=[
        {"assertions": [{"metric": "n", "equals": 1}]},
        {"assertions": [{"metric": "n", "min": 1, "max": 2}]},
        {"assertions": [{"metric": "n", "equals": None}]},
        {"assertions": [{"metric": "n", "max": 0}, {"metric": "m", "min": 0}]},
    ],
    columns={"artifacts": ARTIFACTS},
    allows_turn=False,
)
