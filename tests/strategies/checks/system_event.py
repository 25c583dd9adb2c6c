"""Parameters of system-event."""

from tests.strategies.catalog import CheckStrategy
from tests.strategies.event_names import EXAMPLES, configs

STRATEGY = CheckStrategy(check_type="system-event", configs=configs(), examples=EXAMPLES)
