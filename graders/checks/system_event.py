"""system-event: certain system events occurred, and others not.

Passes when a system event of every required name exists, and none of a disallowed one.
Fails otherwise; a custom event is no system event.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.named_events import NamedEvents
from graders.trajectory import EventType


class SystemEvent(NamedEvents):
    """Pass when all required system events occurred and no disallowed one."""

    type_name: ClassVar[str] = "system-event"
    kind: ClassVar[EventType] = EventType.SYSTEM
    noun: ClassVar[str] = "system event"
