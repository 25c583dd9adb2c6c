"""Parameters of file-not-contains."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import LITERALS
from tests.strategies.workspace import FILES, GLOBS

STRATEGY = CheckStrategy(
    check_type="file-not-contains",
    configs=st.fixed_dictionaries({"path": st.sampled_from(["**", *GLOBS]), "value": LITERALS}),
    examples=[{"path": glob, "value": value} for glob in ("*", "**", "src/*.py") for value in ("x", "é")],
    columns={"files": FILES},
    allows_turn=False,
)
