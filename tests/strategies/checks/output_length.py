"""Parameters of output-length."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.records import CONTENTS, TEXTS

_BOTH = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(
    lambda limits: {"min": min(limits), "max": max(limits)}
)

STRATEGY = CheckStrategy(
    check_type="output-length",
    configs=st.one_of(
        _BOTH, st.builds(lambda key, n: {key: n}, st.sampled_from(["min", "max"]), st.integers(0, 8))
    ),
    examples=[{"min": 0}, {"max": 0}, {"min": 2}, {"max": 2}, {"min": 1, "max": 5}, {"min": 2**40}],
    columns={"output": st.one_of(CONTENTS, TEXTS)},
)
