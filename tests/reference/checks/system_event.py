"""system-event: certain system events occurred, and others not."""

from tests.reference.named_events import named_events

TYPE = "system-event"
TWIN = named_events("system")
