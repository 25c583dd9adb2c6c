"""skill-invocation: the agent activated certain skills, and others not.

Passes when a skill_activation of every required name exists, and none of a disallowed one.
Fails otherwise; a tool call is no activation.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.named_events import NamedEvents
from graders.trajectory import EventType


class SkillInvocation(NamedEvents):
    """Pass when all required skills were activated and no disallowed one."""

    type_name: ClassVar[str] = "skill-invocation"
    kind: ClassVar[EventType] = EventType.SKILL_ACTIVATION
    noun: ClassVar[str] = "skill"
