"""Parameters of file-exists."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.workspace import FILES, GLOBS

STRATEGY = CheckStrategy(
    check_type="file-exists",
    configs=st.fixed_dictionaries({"path": st.sampled_from(GLOBS)}),
    examples=[{"path": glob} for glob in GLOBS],
    columns={"files": FILES},
    allows_turn=False,
)
