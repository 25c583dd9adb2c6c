"""Loops: how often an action, or a block of actions, repeats without a gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from graders.arrays import Positions, to_codes
from graders.batch import TrajectoryBatch
from graders.check import Check, Determinism, ListedTool, Taxonomy
from graders.families.budgets import listed_patterns, watched_tools
from graders.families.calls import CALL_NEEDS, Calls
from graders.parameters import PatternText
from graders.select import Selection
from graders.values import INVALID, canonical_text

Match = Literal["observation", "name", "name-args"]


class LoopCheck(Check):
    """A check on the longest run of the watched calls."""

    taxonomy = Taxonomy(Determinism.COMPLEX_STATIC)

    match: Match = "observation"
    tools: list[PatternText] | None = Field(
        None, min_length=1, description="Patterns of the names that are watched; other calls break no run."
    )
    max_cycle_period: int = Field(1, ge=1, le=10, description="The longest block of calls that may repeat.")

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return CALL_NEEDS | {"events.content", "events.arguments"}

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return listed_patterns(self.tools)

    def longest_runs(self, batch: TrajectoryBatch) -> tuple[Positions, Positions]:
        """How often the most repeated block repeats, int64[n], and where its run ends (or -1).

        A trajectory without watched calls has a run of 0, one with any of at least 1.
        """
        watched = batch.calls_of(watched_tools(self.tools)) if self.tools else batch.calls()
        runs = np.minimum(watched.count(), 1)
        ends = watched.first_position()
        if len(watched):
            actions = _actions(batch, watched, self.match)
            for period in range(1, self.max_cycle_period + 1):
                _extend_runs(runs, ends, watched, actions, period)
        return runs, ends


def _extend_runs(
    runs: Positions, ends: Positions, watched: Selection, actions: Positions, period: int
) -> None:
    """Raise `runs` to the repeats of blocks of `period` calls, and move `ends` there."""
    row = watched.row
    k = len(row)
    same = np.zeros(k, np.bool_)
    same[period:] = (
        (actions[period:] == actions[:-period]) & (row[period:] == row[:-period]) & (actions[period:] >= 0)
    )
    # The length of the stretch of `same` that ends at each call.
    breaks = np.where(same, -1, np.arange(k))
    stretch = np.arange(k) - np.maximum.accumulate(breaks)
    repeats = stretch // period + 1
    best = np.zeros(len(runs), np.int64)
    np.maximum.at(best, row, repeats)
    longer = best > runs
    if longer.any():
        at_best = np.flatnonzero((repeats == best[row]) & longer[row])
        ends[row[at_best[::-1]]] = watched.positions[at_best[::-1]]
        runs[longer] = best[longer]


def _actions(batch: TrajectoryBatch, watched: Selection, match: Match) -> Positions:
    """A number per watched call, equal for equal actions; -1 for one that equals none."""
    _, names = batch.events.codes("tool_name")
    tools = names[watched.positions].astype(np.int64)
    if match == "name":
        return tools
    if match == "observation":
        answers = batch.answers_to(watched.positions)
        contents = batch.events.column("content").take(np.maximum(answers, 0))
        _, texts = to_codes(contents)
        return np.where(answers >= 0, _paired(tools, texts.astype(np.int64)), -1)
    is_watched = np.isin(batch.calls().positions, watched.positions)
    arguments = Calls.of(batch).arguments(is_watched)
    keys: dict[str, int] = {}
    numbers = [
        -1 if value is INVALID else keys.setdefault(canonical_text(value), len(keys))
        for value, wanted in zip(arguments, is_watched.tolist(), strict=True)
        if wanted
    ]
    codes = np.array(numbers, np.int64)
    return np.where(codes >= 0, _paired(tools, codes), -1)


def _paired(first: Positions, second: Positions) -> Positions:
    """One number per pair of numbers that may be -1."""
    return (first + 1) * (int(second.max(initial=0)) + 2) + second + 1
