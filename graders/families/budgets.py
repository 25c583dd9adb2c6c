"""Budgets: a number that a trajectory used is at most a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from graders.arrays import Mask
from graders.batch import TrajectoryBatch
from graders.check import Check, ListedTool
from graders.events import ToolMatcher
from graders.outcome import AbstainCode
from graders.parameters import PatternText
from graders.patterns import Pattern, compile_pattern
from graders.verdicts import Evidence, Verdicts

Usage = tuple[list[int], Mask]
"""How much each trajectory used (Python integers: sums may exceed 64 bits), and where that is known."""


class Budget(Check):
    """A check that passes while the usage is at most a limit; unknown usage abstains."""

    noun: ClassVar[str]
    """What is counted, in the plural."""

    @property
    def limit(self) -> int:
        """The largest usage that passes."""
        raise NotImplementedError

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return True

    def usage(self, batch: TrajectoryBatch) -> Usage:
        """How much each trajectory used."""
        raise NotImplementedError

    def shown(self, amount: int) -> str:
        """An amount as evidence names it."""
        return f"{_number(amount)} {self.noun}"

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in Check)
        used, is_known = self.usage(batch)
        passed = np.fromiter((amount <= self.limit for amount in used), np.bool_, len(used))
        sentences = {
            amount: f"{self.shown(amount)} used, limit {_number(self.limit)}" for amount in set(used)
        }
        numbers = {amount: number for number, amount in enumerate(sentences)}
        codes = np.fromiter((numbers[amount] for amount in used), np.int32, len(used))
        evidence = Evidence(codes, list(sentences.values()))
        unknown = f"the number of {self.noun} is not recorded"
        return Verdicts.decide(passed, evidence).abstain(~is_known, AbstainCode.MISSING_DATA, unknown)


def _number(amount: int) -> str:
    """A number for evidence; of one that no run used its size will do."""
    return f"{amount:,}" if abs(amount) < _LONG else f"about 10^{math.floor(math.log10(amount))}"


_LONG = 10**30


class CountBudget(Budget):
    """A budget of something that is counted."""

    max: int = Field(ge=0, description="The largest number that passes.")

    @property
    def limit(self) -> int:  # noqa: D102  (as in Budget)
        return self.max


def tool_patterns(names: Sequence[str]) -> tuple[Pattern, ...]:
    """Patterns of tool names, compiled."""
    return tuple(compile_pattern(name) for name in names)


class ToolBudget(CountBudget):
    """A budget that may concern some tools only."""

    tools: list[PatternText] | None = Field(
        None, min_length=1, description="Patterns of the tools that count; without, all do."
    )

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102  (as in Check)
        return listed_patterns(self.tools)


class AnyOf(tuple[Pattern, ...]):
    """Accepts a name in which one of some patterns is found; all names without patterns."""

    __slots__ = ()

    def __call__(self, name: str) -> bool:  # noqa: D102  (the class says it)
        return not self or any(pattern(name) for pattern in self)


def listed_patterns(names: Sequence[str] | None) -> list[ListedTool]:
    """The listed tools of patterns of names."""
    return [ListedTool(name, compile_pattern(name)) for name in names or ()]


def watched_tools(names: Sequence[str] | None) -> ToolMatcher:
    """Accepts the names that one of some patterns is found in, or all without any."""
    return AnyOf(tool_patterns(names or ()))


def known(n: int) -> Mask:
    """All known."""
    return np.ones(n, np.bool_)
