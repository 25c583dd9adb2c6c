"""Parameters of skill-invocation."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.event_names import EXAMPLES, configs

STRATEGY = CheckStrategy(check_type="skill-invocation", configs=configs(), examples=EXAMPLES)
