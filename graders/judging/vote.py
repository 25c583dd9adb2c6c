"""What a judge's reply means: strictly one of pass, fail and abstain, or trouble with a code."""

from __future__ import annotations

import dataclasses
import enum
import json
import re
from fractions import Fraction
from typing import Any

from graders.judging.scale import Scale
from graders.outcome import AbstainCode, Outcome
from graders.values import cut, json_text, quote

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)
_BLANKS = " \t\r\n"
_REFUSAL = re.compile(
    r"i['’]?m sorry|i am sorry|sorry,|i apologi[sz]e|i (cannot|can['’]t|won['’]t|will not) "
    r"|i( am|['’]?m) (not able|unable)",
    re.IGNORECASE,
)
_OUTCOMES = {outcome.label: outcome for outcome in Outcome}


class ReplyStatus(enum.StrEnum):
    """What became of a request."""

    ANSWERED = "answered"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"
    PAST_BUDGET = "past_budget"


_CODES = {
    ReplyStatus.REFUSED: AbstainCode.JUDGE_REFUSED,
    ReplyStatus.UNAVAILABLE: AbstainCode.JUDGE_UNAVAILABLE,
    ReplyStatus.PAST_BUDGET: AbstainCode.JUDGE_BUDGET,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Reply:
    """What became of a request.

    Attributes:
        status: whether there is an answer.
        text: the answer; else what happened, in a sentence.
    """

    status: ReplyStatus
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Vote:
    """What one judge says of one record.

    Attributes:
        outcome: pass, fail or abstain; on a scale by the threshold.
        code: of an abstention, why.
        score: the normalised score, 0 to 1; None for an abstention.
        sentence: what it said.
    """

    outcome: Outcome
    code: AbstainCode | None
    score: Fraction | None
    sentence: str


def read_vote(reply: Reply, scale: Scale, threshold: Fraction) -> Vote:
    """The vote that a reply gives; total, whatever the reply holds.

    The reply is one JSON object, maybe in a code fence, with a field `verdict` that is exactly a value of
    the scale or `abstain`. A key that stands twice, prose around the object, another spelling or a
    number beyond the scale make it JUDGE_UNPARSABLE. A judge that abstains says that it cannot decide
    about this record: NOT_APPLICABLE.
    """
    if reply.status is not ReplyStatus.ANSWERED:
        return _withheld(_CODES[reply.status], reply.text)
    answer = _parse(reply.text)
    if answer is None:
        if _REFUSAL.match(reply.text.lstrip()):
            return _withheld(AbstainCode.JUDGE_REFUSED, f"it refused: {quote(reply.text)}")
        return _unparsable(reply.text)
    verdict, reason = answer.get("verdict"), answer.get("reason")
    because = f": {quote(reason)}" if isinstance(reason, str) and reason else ""
    if verdict == Outcome.ABSTAIN.label:
        return _withheld(AbstainCode.NOT_APPLICABLE, f"says abstain{because}")
    if scale is Scale.OUTCOME:
        outcome = _OUTCOMES.get(verdict) if isinstance(verdict, str) else None
        if outcome is None:
            return _unparsable(reply.text)
        score = Fraction(1 if outcome is Outcome.PASS else 0)
        return Vote(outcome, None, score, f"says {outcome.label}{because}")
    score = scale.normalised(verdict)
    if score is None:
        return _unparsable(reply.text)
    outcome = Outcome.PASS if score >= threshold else Outcome.FAIL
    shown = f"says {cut(json_text(verdict))} of 1 to {scale.value}{because}"
    return Vote(outcome, None, score, shown)


def _withheld(code: AbstainCode, sentence: str) -> Vote:
    return Vote(Outcome.ABSTAIN, code, None, sentence)


def _unparsable(text: str) -> Vote:
    return _withheld(AbstainCode.JUDGE_UNPARSABLE, f"no verdict in its reply: {quote(text)}")


def _parse(text: str) -> dict[str, Any] | None:
    """The object that a reply consists of; None where it is anything else."""
    stripped = text.strip(_BLANKS)
    fenced = _FENCE.fullmatch(stripped)
    try:
        value = json.loads(fenced[1] if fenced else stripped, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found
