"""Budgets: what a record used is at most a limit (SEMANTICS section 6)."""

from __future__ import annotations

import fractions
from collections.abc import Callable
from typing import Any

from graders.outcome import AbstainCode
from tests.reference import patterns
from tests.reference.judgement import Judgement, Twin, abstain, decide
from tests.reference.reading import View

Number = int | fractions.Fraction


def budget(
    used: Callable[[dict[str, Any], View], Number | None],
    limit: Callable[[dict[str, Any]], Number] = lambda config: config["max"],
    *,
    reads_events: bool = True,
) -> Twin:
    """The twin of a budget; `used` says None where it is not known."""

    def judge(config: dict[str, Any], view: View) -> Judgement:
        try:
            amount = used(config, view)
        except TimeoutError:
            return abstain(AbstainCode.TIMEOUT)
        if amount is None:
            return abstain(AbstainCode.MISSING_DATA)
        return decide(amount <= limit(config))

    return Twin(judge, reads_events=reads_events)


def is_listed(config: dict[str, Any], tool_name: str | None) -> bool:
    """Whether one of the patterns of `tools` is found in a name; without `tools`, all names count."""
    if config.get("tools") is None:
        return True
    return any(patterns.is_found(pattern, tool_name) for pattern in config["tools"])
