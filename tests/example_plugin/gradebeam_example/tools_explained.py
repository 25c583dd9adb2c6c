"""tools-explained: the agent named the tools that it had called.

Passes when, of the calls, at least the share at_least is named in a later message of the assistant.
Fails otherwise; the score is the share.
Abstains with NOT_APPLICABLE when no tool was called, and when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from graders.outcome import AbstainCode, Outcome
from graders.row_check import Event, RowCheck, RowVerdict, Trajectory


class ToolsExplained(RowCheck):
    """Pass when enough of the tools that were called are named in a later message."""

    type_name: ClassVar[str] = "tools-explained"
    reads: ClassVar[frozenset[str]] = frozenset({"events.tool_name", "events.content"})

    at_least: float = Field(1.0, ge=0, le=1, description="The share of calls that must be named.")

    def grade(self, trajectory: Trajectory) -> RowVerdict:
        """Judge one trajectory."""
        calls = [call for call in trajectory.calls if call.tool_name]
        if not calls:
            return RowVerdict(Outcome.ABSTAIN, "no tool was called", AbstainCode.NOT_APPLICABLE)
        silent = [call for call in calls if not _is_named(call, trajectory.messages)]
        share = 1 - len(silent) / len(calls)
        return RowVerdict(
            Outcome.PASS if share >= self.at_least else Outcome.FAIL,
            f"{len(calls) - len(silent)} of {len(calls)} call(s) were named in a later message",
            event_index=silent[0].index if silent else None,
            score=share,
        )


def _is_named(call: Event, messages: list[Event]) -> bool:
    return any(
        message.index > call.index and call.tool_name in (message.content or "") for message in messages
    )
