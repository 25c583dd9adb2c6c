"""tool-calls: certain calls were made, others not, some in sequence or in parallel.

Passes when every entry of `required` is met by as many answered calls as min_count says, no call meets
an entry of `disallowed`, answered calls meet `sequence` in its order (gaps allowed), and distinct
answered calls of one step meet all entries of `parallel`.
Fails otherwise. Bad arguments meet no condition but `pattern`, which sees them as recorded; a failure
that rests on them is no pass when negated.
Abstains with NO_EVIDENCE where it would pass without agent activity, with TIMEOUT when a pattern that
RE2 refuses ran into its limit, and when the record has no events.

An entry is a pattern of names, or an object whose filters must all hold on one call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import ConfigDict, Field, field_validator, model_validator

from graders.arrays import Mask
from graders.batch import TrajectoryBatch
from graders.check import Check, Determinism, ListedTool, Taxonomy
from graders.families.call_filter import CallFilter, RequiredFilter
from graders.families.calls import CALL_NEEDS, Calls
from graders.matching import maximum_matching
from graders.outcome import AbstainCode
from graders.patterns import compile_pattern
from graders.verdicts import Evidence, Verdicts


def _allow_names(schema: dict[str, Any]) -> None:
    """Let the JSON Schema take a pattern of names for an entry."""
    for name in ("required", "disallowed", "sequence", "parallel"):
        for option in schema["properties"][name]["anyOf"]:
            if "items" in option:
                option["items"] = {"anyOf": [{"type": "string", "minLength": 1}, option["items"]]}


class ToolCalls(Check):
    """Pass when the calls meet the lists of required, disallowed, sequential and parallel calls."""

    model_config = ConfigDict(json_schema_extra=_allow_names)

    type_name: ClassVar[str] = "tool-calls"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.COMPLEX_STATIC)
    refused_keys: ClassVar[Mapping[str, str]] = {
        "read_only": "nothing recorded tells which tools only read; list them under required or disallowed",
        "write_only": "nothing recorded tells which tools write; list them under required or disallowed",
    }

    required: list[RequiredFilter] | None = Field(None, min_length=1, description="Calls that must be made.")
    disallowed: list[CallFilter] | None = Field(
        None, min_length=1, description="Calls that must not be made."
    )
    sequence: list[CallFilter] | None = Field(
        None, min_length=1, description="Calls that must be made in this order, gaps allowed."
    )
    parallel: list[CallFilter] | None = Field(
        None, min_length=1, description="Calls that must be made in one step."
    )

    @field_validator("required", "disallowed", "sequence", "parallel", mode="before")
    @classmethod
    def _read_names(cls, entries: Any) -> Any:
        if not isinstance(entries, list):
            return entries
        return [{"name": entry} if isinstance(entry, str) else entry for entry in entries]

    @model_validator(mode="after")
    def _has_list(self) -> ToolCalls:
        if not any((self.required, self.disallowed, self.sequence, self.parallel)):
            raise ValueError("required, disallowed, sequence or parallel is needed")
        required = [entry.model_dump(exclude={"min_count"}) for entry in self.required or ()]
        for entry in self.disallowed or ():
            if entry.model_dump() in required:
                raise ValueError(f"the same entry stands in required and disallowed: {entry.shown}")
        return self

    @property
    def _filters(self) -> list[CallFilter]:
        lists = (self.required, self.disallowed, self.sequence, self.parallel)
        return [entry for entries in lists for entry in entries or ()]

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return CALL_NEEDS.union(*(entry.needs for entry in self._filters))

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return not (self.required or self.sequence or self.parallel)

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        names = dict.fromkeys(entry.name for entry in self._filters if entry.name is not None)
        return [ListedTool(name, compile_pattern(name)) for name in names]

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        grading = _Grading(batch)
        for entry in self.disallowed or ():
            grading.disallow(entry)
        for entry in self.required or ():
            grading.require(entry)
        if self.sequence:
            grading.require_sequence(self.sequence)
        if self.parallel:
            grading.require_parallel(self.parallel)
        return grading.verdicts()


class _Grading:
    """The conditions of one check over one batch, gathered one after the other."""

    def __init__(self, batch: TrajectoryBatch) -> None:
        n = len(batch)
        self._calls = Calls.of(batch)
        self._selection = self._calls.selection
        self._is_answered = self._calls.answers() >= 0
        self._passed = np.ones(n, np.bool_)
        self._could_pass = np.ones(n, np.bool_)  # had bad arguments been as wanted
        self._timed_out = np.zeros(n, np.bool_)
        self._index = np.full(n, -1, np.int32)
        self._evidence = Evidence.constant(n, "the calls are as wanted")

    def verdicts(self) -> Verdicts:
        verdicts = Verdicts.decide(
            self._passed, self._evidence, self._index, is_doubtful=~self._passed & self._could_pass
        )
        return verdicts.abstain(self._timed_out, AbstainCode.TIMEOUT, "a search in a call took over 1 s")

    def _matches(self, entry: CallFilter) -> tuple[Mask, Mask]:
        """The calls that meet an entry, and those that do or would with other arguments."""
        match = entry.match(self._calls)
        self._timed_out |= self._selection.where(match.is_timeout).any()
        return match.is_met, match.is_met | match.is_doubtful

    def _fail(self, failed: Mask, could_pass: Mask, sentence: str, index: np.ndarray | None = None) -> None:
        new = failed & self._passed
        self._evidence = self._evidence.replace(new, sentence)
        self._index = np.where(new, np.int32(-1) if index is None else index, self._index)
        self._passed &= ~failed
        self._could_pass &= could_pass | ~failed

    def disallow(self, entry: CallFilter) -> None:
        is_met, _ = self._matches(entry)
        hits = self._selection.where(is_met)
        found = hits.any()
        self._fail(found, ~found, f"a disallowed call was made: {entry.shown}", hits.first_index())

    def require(self, entry: RequiredFilter) -> None:
        is_met, could = self._matches(entry)
        hits = self._selection.where(is_met & self._is_answered)
        count = hits.count()
        hopeful = self._selection.where(could & self._is_answered).count() >= entry.min_count
        for n in np.unique(count[count < entry.min_count]).tolist():
            wanted = "call" if entry.min_count == 1 else f"{entry.min_count} calls"
            self._fail(count == n, hopeful, f"required {wanted}: {entry.shown}; {n} answered call(s) met it")
        first = hits.first_index()
        is_first = self._passed & (self._index < 0)
        self._index = np.where(is_first, first, self._index)

    def require_sequence(self, entries: Sequence[CallFilter]) -> None:
        met = [self._matches(entry) for entry in entries]
        reached = self._longest_prefix([is_met & self._is_answered for is_met, _ in met])
        hopeful = self._longest_prefix([could & self._is_answered for _, could in met]) == len(entries)
        for n in range(len(entries)):
            self._fail(
                reached == n,
                hopeful,
                f"sequence: no call for entry {n}, {entries[n].shown}, after the ones before",
            )

    def _longest_prefix(self, masks: list[Mask]) -> np.ndarray:
        """How many entries of a sequence each trajectory meets, taking the earliest call each time."""
        offsets = self._calls.batch.events.offsets
        at, reached = offsets[:-1].copy(), np.zeros(len(offsets) - 1, np.int64)
        alive = np.ones(len(reached), np.bool_)
        for mask in masks:
            positions = np.append(self._selection.positions[mask], np.iinfo(np.int64).max)
            following = positions[np.searchsorted(positions, at)]
            alive &= following < offsets[1:]
            reached += alive
            at = np.where(alive, following + 1, at)
        return reached

    def require_parallel(self, entries: Sequence[CallFilter]) -> None:
        met = [self._matches(entry) for entry in entries]
        found = self._in_one_step([is_met & self._is_answered for is_met, _ in met])
        hopeful = self._in_one_step([could & self._is_answered for _, could in met])
        names = ", ".join(entry.shown for entry in entries)
        self._fail(~found, hopeful, f"parallel: no step issued all of {names}")

    def _in_one_step(self, masks: list[Mask]) -> Mask:
        """Which trajectories have a step whose distinct calls meet all entries."""
        found = np.zeros(len(self._passed), np.bool_)
        steps = self._calls.batch.steps()[self._selection.positions]
        rows = self._selection.row
        candidates: dict[tuple[int, int], list[list[int]]] = {}
        for number, mask in enumerate(masks):
            for call in np.flatnonzero(mask & (steps >= 0)).tolist():
                key = (int(rows[call]), int(steps[call]))
                candidates.setdefault(key, [[] for _ in masks])[number].append(call)
        for (row, _), edges in candidates.items():
            if not found[row] and all(edges):
                found[row] = maximum_matching(edges) == len(masks)
        return found
