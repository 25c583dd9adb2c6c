"""What a twin of a check says of one record, before and after the rules that hold for all."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

from graders.outcome import AbstainCode, Outcome
from tests.reference.reading import View


class Rest(enum.Enum):
    """What a pass must rest on."""

    ACTIVITY = enum.auto()
    OUTPUT = enum.auto()
    MESSAGES = enum.auto()
    NOTHING = enum.auto()


@dataclasses.dataclass(frozen=True)
class Judgement:
    """A verdict on one record.

    Attributes:
        outcome: pass, fail or abstain.
        code: of an abstention.
        event_index: the first event that it rests on.
        evidence: where SEMANTICS gives the words, else None.
        is_doubtful: a fail that would be a pass had bad arguments been as wanted.
        is_final: a fail that stays one under negation.
        is_unobserved: what the check looks for could not have been there.
        counts: how many calls matched, were made and were asked for, of trajectory-match.
    """

    outcome: Outcome
    code: AbstainCode | None = None
    event_index: int | None = None
    evidence: str | None = None
    is_doubtful: bool = False
    is_final: bool = False
    is_unobserved: bool = False
    counts: tuple[int, int, int] | None = None


def abstain(code: AbstainCode) -> Judgement:
    """An abstention; it rests on no event."""
    return Judgement(Outcome.ABSTAIN, code)


def decide(passed: bool, event_index: int | None = None, **more: Any) -> Judgement:
    """A pass or a fail."""
    return Judgement(Outcome.PASS if passed else Outcome.FAIL, None, event_index, **more)


@dataclasses.dataclass(frozen=True)
class Twin:
    """The twin of a check type.

    Attributes:
        judge: the check itself, from its config and what it sees.
        rests_on: what a pass must rest on; where that depends on the entry, a function of it.
        reads_events: whether it has nothing to go by where the events are null.
        reads_output: whether it reads the final output.
    """

    judge: Callable[[dict[str, Any], View], Judgement]
    rests_on: Rest | Callable[[dict[str, Any]], Rest] = Rest.ACTIVITY
    reads_events: bool = True
    reads_output: bool = False
