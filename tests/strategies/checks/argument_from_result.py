"""Parameters of argument-from-result."""

from hypothesis import strategies as st

from tests.strategies.calls import CALLS
from tests.strategies.catalog import CheckStrategy

_PATTERNS = [r"(\d)", "x", r"id=(\w*)", r"(?<==)7", "x*", "(x)|7", "^$"]

STRATEGY = CheckStrategy(
    check_type="argument-from-result",
    configs=st.fixed_dictionaries(
        {
            "tool": st.sampled_from(["a", "a", "b"]),
            "argument": st.sampled_from(["a", "a", "b", "path", "command", "a.b[0]", '""', "é"]),
            "from": st.sampled_from(["a", "b", "a.b"]),
        },
        optional={"pattern": st.sampled_from(_PATTERNS), "which": st.sampled_from(["all", "any"])},
    ),
    examples=[
        {"tool": "a", "argument": "a", "from": "a"},
        {"tool": "a", "argument": "a", "from": "a", "which": "any"},
        {"tool": "a", "argument": "a", "from": "b"},
        {"tool": "b", "argument": "b", "from": "a", "which": "any"},
        {"tool": "a", "argument": "a", "from": "a", "pattern": r"(\d)"},
        {"tool": "a", "argument": "a", "from": "b", "pattern": r"(?<=x)|\d", "which": "any"},
    ],
    columns={"events": CALLS},
)
