"""Parameters of transcript-contains."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.searching import LITERAL_EXAMPLES, literal_configs, with_negate

STRATEGY = CheckStrategy(
    check_type="transcript-contains",
    configs=literal_configs(has_negate=True),
    examples=with_negate(LITERAL_EXAMPLES),
)
