"""Parameters of all-of."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.combined import COLUMNS, CONFIGS, EXAMPLES, allows_turn

STRATEGY = CheckStrategy(
    check_type="all-of",
    configs=CONFIGS,
    examples=[{"checks": parts} for parts in EXAMPLES],
    columns=COLUMNS,
    allows_turn=allows_turn,
)
