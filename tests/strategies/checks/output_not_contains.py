"""Parameters of output-not-contains."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import LITERAL_EXAMPLES, literal_configs

STRATEGY = CheckStrategy(
    check_type="output-not-contains",
    configs=literal_configs(has_negate=False),
    examples=LITERAL_EXAMPLES,
)
