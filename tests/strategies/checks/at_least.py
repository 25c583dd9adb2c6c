"""Parameters of at-least."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.combined import COLUMNS, CONFIGS_WITH_N, EXAMPLES, allows_turn

STRATEGY = CheckStrategy(
    check_type="at-least",
    configs=CONFIGS_WITH_N,
    examples=[{"n": n, "checks": parts} for parts in EXAMPLES for n in range(1, len(parts) + 1)],
    columns=COLUMNS,
    allows_turn=allows_turn,
)
