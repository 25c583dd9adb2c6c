"""Parameters of assistant-contains-tool-output."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy

_PATTERNS = [
    r"id=(\w*)",
    r"id=(?P<n>\d+)",
    r"\d+",
    r"(x)|(ok)",
    r"(?:id=)(\d)?",
    "x*",
    ".",
    "(.+)",
    r"(?s)(.+)",
    r"(?i)straße|(done)",
    r"^(.*)$",
    r"\x00",
    r"(?<=id=)\w+",
    r"(\w)\1",
    r"(?!id)(\w+)$",
    "rt_[",
    "(",
]

STRATEGY = CheckStrategy(
    check_type="assistant-contains-tool-output",
    configs=st.fixed_dictionaries(
        {
            "tools": st.lists(
                st.sampled_from(["a", "b", "a.b", "ä", "b.c", "never"]), min_size=1, max_size=3
            ),
            "pattern": st.sampled_from(_PATTERNS),
        }
    ),
    examples=[{"tools": ["a", "b"], "pattern": pattern} for pattern in _PATTERNS],
)
