"""Parameters of transcript-matches."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import PATTERN_EXAMPLES, pattern_configs, with_negate

STRATEGY = CheckStrategy(
    check_type="transcript-matches",
    configs=pattern_configs(has_negate=True),
    examples=with_negate(PATTERN_EXAMPLES),
)
