"""Loops: how often an action, or a block of actions, repeats without a gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pyarrow.compute as pc
from pydantic import Field

from graders.arrays import Mask, Positions, not_null, to_mask
from graders.batch import TrajectoryBatch
from graders.check import Check, Determinism, ListedTool, Taxonomy
from graders.families.budgets import listed_patterns, watched_tools
from graders.families.calls import CALL_NEEDS, Calls
from graders.parameters import PatternText
from graders.select import Selection
from graders.values import INVALID, Json, canonical_text

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
        matches = watched_tools(self.tools)
        watched = batch.calls_of(matches) if self.tools else batch.calls()
        runs = np.minimum(watched.count(), 1)
        ends = watched.first_position()
        for period in range(1, self.max_cycle_period + 1):
            same = batch.memo(
                ("repeats", self.match, matches, period),
                lambda p=period: _repeats(batch, watched, self.match, p),
            )
            _extend_runs(runs, ends, watched, same, period)
        return runs, ends

    def could_reach(self, batch: TrajectoryBatch, run: int, among: Mask) -> Mask:
        """Of the trajectories in `among`, which would have a run so long had bad arguments been as wanted."""
        found = np.zeros(len(batch), np.bool_)
        if self.match != "name-args" or not among.any():
            return found
        matches = watched_tools(self.tools)
        watched = batch.calls_of(matches) if self.tools else batch.calls()
        _, names = batch.events.codes("tool_name")
        chosen = among[watched.row]
        is_asked = np.isin(batch.calls().positions, watched.positions[chosen])
        arguments = [
            value
            for value, asked in zip(Calls.of(batch).arguments(is_asked), is_asked.tolist(), strict=True)
            if asked
        ]
        calls: dict[int, list[tuple[int, str | None]]] = {}
        tools = names[watched.positions[chosen]].tolist()
        for row, tool, value in zip(watched.row[chosen].tolist(), tools, arguments, strict=True):
            calls.setdefault(row, []).append((tool, _key(value)))
        for row, made in calls.items():
            if any(key is None for _, key in made):
                found[row] = longest_possible_run(made, self.max_cycle_period) >= run
        return found


def longest_possible_run(calls: Sequence[tuple[int, str | None]], max_period: int) -> int:
    """The longest run of blocks when a call whose arguments are None may have had any.

    For each period the calls so many places apart must agree. Going through the calls, `starts`
    holds for each of these sequences where its agreeing end begins.
    """
    longest = min(len(calls), 1)
    for period in range(1, max_period + 1):
        starts: dict[int, int] = {}
        known: dict[int, tuple[int, str]] = {}  # where arguments were last known, and which
        for at, (tool, key) in enumerate(calls):
            place = at % period
            before = at - period
            if before < 0 or calls[before][0] != tool:
                starts[place] = at
                known.pop(place, None)
            elif key is not None and place in known and known[place][1] != key:
                starts[place] = known[place][0] + period
            if key is not None:
                known[place] = (at, key)
            first = max(0, *(start - period + 1 for start in starts.values()))
            longest = max(longest, (at + 1 - first) // period)
    return longest


def _extend_runs(runs: Positions, ends: Positions, watched: Selection, same: Mask, period: int) -> None:
    """Raise `runs` to the repeats of blocks of `period` calls, and move `ends` there."""
    row = watched.row
    k = len(row)
    # The length of the stretch of `same` that ends at each call.
    breaks = np.where(same, -1, np.arange(k))
    stretch = np.arange(k) - np.maximum.accumulate(breaks) if k else breaks
    repeats = stretch // period + 1
    best = np.zeros(len(runs), np.int64)
    np.maximum.at(best, row, repeats)
    longer = best > runs
    if longer.any():
        at_best = np.flatnonzero((repeats == best[row]) & longer[row])
        ends[row[at_best[::-1]]] = watched.positions[at_best[::-1]]
        runs[longer] = best[longer]


def _repeats(batch: TrajectoryBatch, watched: Selection, match: Match, period: int) -> Mask:
    """Which watched calls are the same action as the one `period` before, in the same trajectory."""
    row, (_, names) = watched.row, batch.events.codes("tool_name")
    tools = names[watched.positions]
    same = np.zeros(len(row), np.bool_)
    same[period:] = (tools[period:] == tools[:-period]) & (row[period:] == row[:-period])
    # Results and arguments are compared only where the tools are the same.
    later = np.flatnonzero(same)
    if match == "observation":
        same[later] = _same_results(batch, watched.positions[later], watched.positions[later - period])
    elif match == "name-args":
        same[later] = _same_arguments(batch, watched.positions[later], watched.positions[later - period])
    return same


def _same_results(batch: TrajectoryBatch, calls: Positions, others: Positions) -> Mask:
    """Whether the results of calls have the same text; a call without a result equals none."""
    results, other_results = batch.answers_to(calls), batch.answers_to(others)
    content = batch.events.column("content")
    texts = content.take(np.maximum(results, 0)), content.take(np.maximum(other_results, 0))
    is_same = to_mask(pc.equal(*texts)) | ~(not_null(texts[0]) | not_null(texts[1]))
    return is_same & (results >= 0) & (other_results >= 0)


def _same_arguments(batch: TrajectoryBatch, calls: Positions, others: Positions) -> Mask:
    """Whether calls have equal arguments as JSON; bad ones equal none."""
    all_calls = batch.calls().positions
    wanted = np.isin(all_calls, np.concatenate([calls, others]))
    arguments = Calls.of(batch).arguments(wanted)
    chosen = np.flatnonzero(wanted).tolist()
    keys = {int(all_calls[at]): _key(arguments[at]) for at in chosen}
    pairs = zip(calls.tolist(), others.tolist(), strict=True)
    return np.fromiter(
        (keys[call] is not None and keys[call] == keys[other] for call, other in pairs), np.bool_, len(calls)
    )


def _key(arguments: Json) -> str | None:
    return None if arguments is INVALID else canonical_text(arguments)
