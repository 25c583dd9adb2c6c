"""Parameters of at-least."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.combined import COLUMNS, CONFIGS_WITH_N, EXAMPLES, allows_turn

STRATEGY = CheckStrategy(
    check_type="at-least",
    configs=CONFIGS_WITH_N,
    examples=[{"n": 2, "checks": [*parts, parts[0]]} for parts in EXAMPLES],
    columns=COLUMNS,
    allows_turn=allows_turn,
)
