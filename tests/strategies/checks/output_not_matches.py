"""Parameters of output-not-matches."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import PATTERN_EXAMPLES, pattern_configs

STRATEGY = CheckStrategy(
    check_type="output-not-matches",
    configs=pattern_configs(has_negate=False),
    examples=PATTERN_EXAMPLES,
)
