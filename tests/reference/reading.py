"""What a record says: turns, steps, answers, names, output and activity (SEMANTICS section 1)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

Event = dict[str, Any]

_STEP_MAKERS = ("reasoning", "assistant_message", "tool_call")
_STEP_ENDERS = ("user_message", "tool_result", "turn_start", "turn_end")
_ACTIVITY = ("assistant_message", "reasoning", "tool_call", "tool_result", "skill_activation")


def turns_of(events: Sequence[Event]) -> list[int]:
    """The turn of each event."""
    turns: list[int] = []
    if any(event.get("turn") is not None for event in events):
        current = 0
        for event in events:
            if event.get("turn") is not None:
                current = event["turn"]
            turns.append(current)
        return turns
    users = 0
    for event in events:
        if event.get("type") == "user_message":
            users += 1
        turns.append(max(users - 1, 0))
    return turns


def steps_of(events: Sequence[Event]) -> list[int | None]:
    """The step of each event, ranked from 0; None for an event in no step."""
    if any(event.get("step") is not None for event in events):
        numbers = [event.get("step") if event.get("type") in _STEP_MAKERS else None for event in events]
        distinct = sorted({number for number in numbers if number is not None})
        return [None if number is None else distinct.index(number) for number in numbers]
    steps: list[int | None] = []
    step, is_open, has_message = -1, False, False
    for event in events:
        kind = event.get("type")
        if kind in _STEP_ENDERS:
            is_open = False
        if kind not in _STEP_MAKERS:
            steps.append(None)
            continue
        if not is_open or (kind == "assistant_message" and has_message):
            step, is_open, has_message = step + 1, True, False
        has_message = has_message or kind == "assistant_message"
        steps.append(step)
    return steps


def answers_of(events: Sequence[Event]) -> dict[int, int]:
    """For each result that answers a call, the index of that call."""
    steps = steps_of(events)
    answers: dict[int, int] = {}
    for at, event in enumerate(events):
        if event.get("type") != "tool_result":
            continue
        waiting = [
            before
            for before in range(at)
            if events[before].get("type") == "tool_call" and before not in answers.values()
        ]
        call_id, name = event.get("tool_call_id") or None, event.get("tool_name") or None
        if call_id is not None:
            waiting = [call for call in waiting if events[call].get("tool_call_id") == call_id]
        if name is not None:
            named = [call for call in waiting if events[call].get("tool_name") == name]
            waiting = named or (waiting if call_id is not None else [])
        if waiting:
            # A call in no step is older than any step.
            latest = max(_rank(steps[call]) for call in waiting)
            answers[at] = min(call for call in waiting if _rank(steps[call]) == latest)
    return answers


def _rank(step: int | None) -> int:
    return -1 if step is None else step


def result_names_of(events: Sequence[Event]) -> dict[int, str | None]:
    """The tool of each result: its own name, else that of the call that it answers."""
    answers = answers_of(events)
    names: dict[int, str | None] = {}
    for at, event in enumerate(events):
        if event.get("type") == "tool_result":
            name = event.get("tool_name") or None
            if name is None and at in answers:
                name = events[answers[at]].get("tool_name") or None
            names[at] = name
    return names


@dataclasses.dataclass(frozen=True)
class View:
    """A record, or one turn of it, as a check sees it.

    Attributes:
        record: the record.
        turn: the turn in view, or None for all of it.
    """

    record: dict[str, Any]
    turn: int | None = None

    @functools.cached_property
    def all_events(self) -> list[Event]:
        """Every event of the record; a null one is an event of no type."""
        return [event or {} for event in self.record.get("events") or []]

    @functools.cached_property
    def events(self) -> list[tuple[int, Event]]:
        """The events in view with their index in the record."""
        numbered = list(enumerate(self.all_events))
        if self.turn is None:
            return numbered
        turns = turns_of(self.all_events)
        return [(at, event) for at, event in numbered if turns[at] == self.turn_number]

    @functools.cached_property
    def turn_number(self) -> int | None:
        """The turn in view, where -1 is the last one with activity; None where there is none."""
        if self.turn != -1:
            return self.turn
        turns = turns_of(self.all_events)
        active = [turns[at] for at, event in enumerate(self.all_events) if event.get("type") in _ACTIVITY]
        return max(active, default=None)

    def of_type(self, kind: str) -> list[tuple[int, Event]]:
        """The events of one type in view."""
        return [(at, event) for at, event in self.events if event.get("type") == kind]

    @functools.cached_property
    def result_names(self) -> dict[int, str | None]:
        """The tool of each result of the record."""
        return result_names_of(self.all_events)

    @functools.cached_property
    def results(self) -> dict[int, tuple[int, Event]]:
        """For each answered call in view its result, where that is in view too."""
        seen = dict(self.events)
        return {
            call: (at, seen[at])
            for at, call in answers_of(self.all_events).items()
            if at in seen and call in seen
        }

    @functools.cached_property
    def steps(self) -> dict[int, int]:
        """The step of each event in view that is in one, ranked from 0 among those in view."""
        numbers = steps_of(self.all_events)
        found = {at: number for at, _ in self.events if (number := numbers[at]) is not None}
        distinct = sorted(set(found.values()))
        return {at: distinct.index(number) for at, number in found.items()}

    @property
    def output(self) -> str | None:
        """The final output: the recorded one, else the last message with no call after it."""
        if self.turn is None and self.record.get("output") is not None:
            return self.record["output"]
        messages, calls = self.of_type("assistant_message"), self.of_type("tool_call")
        if not messages or (calls and calls[-1][0] > messages[-1][0]):
            return None
        return messages[-1][1].get("content")

    @property
    def has_activity(self) -> bool:
        """Whether the agent is known to have done anything."""
        return any(event.get("type") in _ACTIVITY for _, event in self.events) or bool(self.output)
