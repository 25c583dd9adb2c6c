"""Combinations of checks in three-valued logic (SEMANTICS sections 2 and 6)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from graders.outcome import Outcome
from tests.reference import catalog, verdict
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.reading import View

_COMBINED = ("all-of", "any-of", "at-least")


def combination(needed: Callable[[dict[str, Any]], int]) -> Twin:
    """The twin of a combination that passes when so many of its parts pass."""

    def judge(config: dict[str, Any], view: View) -> Judgement:
        parts = [{**part, "turn": view.turn} for part in config["checks"]]
        said = [verdict.settle(part, view.record) for part in parts]
        outcome = _combined([each.outcome for each in said], needed(config))
        # The first part that says what the combination says gives the reason.
        first = next(each for each in said if each.outcome is outcome)
        if outcome is Outcome.ABSTAIN:
            assert first.code is not None
            return abstain(first.code)
        possible = [_possible(part, view.record) for part in parts]
        could_pass = any(
            _combined(chosen, needed(config)) is Outcome.PASS for chosen in itertools.product(*possible)
        )
        # A fail that stays one makes this one stay, unless it would be one without it.
        waived = [Outcome.PASS if each.is_final else each.outcome for each in said]
        is_final = outcome is Outcome.FAIL and _combined(waived, needed(config)) is not Outcome.FAIL
        return decide(outcome is Outcome.PASS, first.event_index, is_doubtful=could_pass, is_final=is_final)

    return Twin(judge, rests_on=_rests_on, reads_events=False)


def _combined(outcomes: Sequence[Outcome], needed: int) -> Outcome:
    """A pass once enough have passed; a fail once even all that abstain could not make it one."""
    if outcomes.count(Outcome.PASS) >= needed:
        return Outcome.PASS
    if outcomes.count(Outcome.PASS) + outcomes.count(Outcome.ABSTAIN) < needed:
        return Outcome.FAIL
    return Outcome.ABSTAIN


def _possible(part: dict[str, Any], record: dict[str, Any]) -> set[Outcome]:
    """All that a part could say, were bad arguments and invalid patterns one thing or another."""
    if verdict.settle(part, record).is_final:
        return {Outcome.FAIL, Outcome.PASS}
    if part["type"] in _COMBINED:
        inner = [{**each, "turn": part["turn"]} for each in part["config"]["checks"]]
        needed = {"all-of": len(inner), "any-of": 1}.get(part["type"]) or part["config"]["n"]
        every = itertools.product(*(_possible(each, record) for each in inner))
        found = {_combined(outcomes, needed) for outcomes in every}
    else:
        said = verdict.settle({**part, "negate": False}, record)
        if said.outcome is not Outcome.FAIL or not said.is_doubtful:
            return {verdict.settle(part, record).outcome}
        found = {Outcome.FAIL, Outcome.PASS}
    swapped = {Outcome.PASS: Outcome.FAIL, Outcome.FAIL: Outcome.PASS, Outcome.ABSTAIN: Outcome.ABSTAIN}
    return {swapped[outcome] for outcome in found} if part.get("negate") else found


def _rests_on(entry: dict[str, Any]) -> Rest:
    """Each part looks to itself; the negation of all of them rests on activity if one of them does."""
    return Rest.ACTIVITY if entry.get("negate") and not _is_exempt(entry) else Rest.NOTHING


def _is_exempt(entry: dict[str, Any]) -> bool:
    if entry["type"] in _COMBINED:
        return all(_is_exempt(part) for part in entry["config"]["checks"])
    return catalog.twins()[entry["type"]].rests_on is Rest.NOTHING
