"""skill-invocation: certain skills were activated, and others not."""

from tests.reference.named_events import named_events

TYPE = "skill-invocation"
TWIN = named_events("skill_activation")
