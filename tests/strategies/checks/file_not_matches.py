"""Parameters of file-not-matches."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import PATTERNS
from tests.strategies.workspace import FILES, GLOBS

STRATEGY = CheckStrategy(
    check_type="file-not-matches",
    configs=st.fixed_dictionaries(
        {"path": st.sampled_from(["**", *GLOBS]), "pattern": st.sampled_from(PATTERNS)}
    ),
    examples=[{"path": glob, "pattern": pattern} for glob in ("*", "**") for pattern in PATTERNS],
    columns={"files": FILES},
    allows_turn=False,
)
