"""The filters of one entry of tool-calls: all of them hold on one call."""

from __future__ import annotations

import dataclasses

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from graders.arrays import Mask, from_texts, to_texts
from graders.families.calls import Calls
from graders.parameters import PatternText
from graders.patterns import Pattern, compile_pattern
from graders.text import Text
from graders.values import INVALID, Json, json_text


@dataclasses.dataclass(frozen=True)
class FilterMatch:
    """Which calls meet a filter, bool each over all calls in view.

    Attributes:
        is_met: those that do.
        is_doubtful: those that do not, but would had their bad arguments been as wanted.
        is_timeout: those on which a search ran into its limit.
    """

    is_met: Mask
    is_doubtful: Mask
    is_timeout: Mask


class CallFilter(BaseModel):
    """What one call must be like; every filter that is given must hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: PatternText | None = Field(None, description="Pattern of the tool name.")
    command: PatternText | None = Field(None, description="Pattern of the text argument `command`.")
    path: PatternText | None = Field(None, description="Pattern of the text argument `path`.")
    args: dict[str, PatternText] | None = Field(
        None, min_length=1, description="Patterns of text arguments by name."
    )
    pattern: PatternText | None = Field(None, description="Pattern of the arguments as compact JSON.")
    result: PatternText | None = Field(None, description="Pattern of the text of the answering result.")
    at_step: int | None = Field(None, ge=0, description="The 0-based step that issues the call.")
    before_step: int | None = Field(None, ge=1, description="The 0-based step before which it is issued.")
    final: bool | None = Field(None, description="Whether it is the last call, or is not.")

    @model_validator(mode="after")
    def _has_filter(self) -> CallFilter:
        if not self.model_fields_set - {"min_count"}:
            raise ValueError("an entry needs a filter such as name")
        return self

    @property
    def shown(self) -> str:
        """The entry as evidence names it: the pattern of names alone, or all filters as JSON."""
        filters = self.model_dump(exclude_unset=True, exclude={"min_count"})
        return json_text(filters["name"] if set(filters) == {"name"} else filters)

    @property
    def needs(self) -> frozenset[str]:
        """What the filters read."""
        reads_arguments = self.command or self.path or self.args or self.pattern
        return frozenset(
            (["events.arguments"] if reads_arguments else []) + (["events.content"] if self.result else [])
        )

    @property
    def _text_arguments(self) -> list[tuple[str, str]]:
        given = [("command", self.command), ("path", self.path), *(self.args or {}).items()]
        return [(name, pattern) for name, pattern in given if pattern is not None]

    def match(self, calls: Calls) -> FilterMatch:
        """Which of the calls meet the filters; cheap ones first, so that few arguments are parsed."""
        n = len(calls.selection)
        met = self._match_place(calls)
        timed_out = np.zeros(n, np.bool_)
        if self.result is not None and met.any():
            found, is_timeout = self._search_results(calls, met)
            timed_out |= is_timeout & met
            met &= found
        doubtful = np.zeros(n, np.bool_)
        if self._text_arguments and met.any():
            doubtful |= calls.bad(met)
            found, is_timeout = self._match_arguments(calls, met)
            timed_out |= is_timeout
            met &= found
        if self.pattern is not None and (met | doubtful).any():
            found, is_timeout = self._search_arguments(calls, met | doubtful)
            timed_out |= is_timeout & met
            met &= found
        return FilterMatch(met, doubtful, timed_out)

    def _match_place(self, calls: Calls) -> Mask:
        batch, positions = calls.batch, calls.selection.positions
        met = np.ones(len(positions), np.bool_)
        if self.name is not None:
            _, codes = batch.events.codes("tool_name")
            met &= batch.events.accepts(compile_pattern(self.name))[codes[positions]]
        if self.at_step is not None:
            met &= batch.steps()[positions] == self.at_step
        if self.before_step is not None:
            steps = batch.steps()[positions]
            met &= (steps >= 0) & (steps < self.before_step)
        if self.final is not None:
            last = calls.selection.last_position()[calls.selection.row]
            met &= (positions == last) == self.final
        return met

    def _search_results(self, calls: Calls, among: Mask) -> tuple[Mask, Mask]:
        """In which calls' results the pattern is found; a call without a result has no text."""
        answers = np.where(among, calls.answers(), -1)
        answered = np.flatnonzero(answers >= 0)
        texts = Text(calls.batch, calls.batch.events.column("content").take(answers[answered]))
        return _spread(texts.search(compile_pattern(self.result or "")), answered, len(answers))

    def _match_arguments(self, calls: Calls, among: Mask) -> tuple[Mask, Mask]:
        """Which calls have the text arguments, and where that is not known in time."""
        patterns = [(name, compile_pattern(source)) for name, source in self._text_arguments]
        met, timed_out = among.copy(), np.zeros_like(among)
        arguments = calls.arguments(among)
        for at in np.flatnonzero(among).tolist():
            found = _has_texts(arguments[at], patterns)
            met[at], timed_out[at] = found is True, found is None
        return met, timed_out

    def _search_arguments(self, calls: Calls, among: Mask) -> tuple[Mask, Mask]:
        """Where the pattern is found in the compact JSON of the arguments, bad ones as recorded."""
        chosen = np.flatnonzero(among)
        arguments = calls.arguments(among)
        recorded = to_texts(calls.batch.events.column("arguments").take(calls.selection.positions[chosen]))
        texts = [_compact(arguments[at], text) for at, text in zip(chosen.tolist(), recorded, strict=True)]
        found = Text(calls.batch, from_texts(texts)).search(compile_pattern(self.pattern or ""))
        return _spread(found, chosen, len(among))


def _has_texts(arguments: Json, patterns: list[tuple[str, Pattern]]) -> bool | None:
    """Whether all patterns are found in their text arguments; None where a search ran into its limit."""
    if arguments is INVALID or not all(isinstance(arguments.get(name), str) for name, _ in patterns):
        return False
    is_known = True
    for name, pattern in patterns:
        try:
            if not pattern(arguments[name]):
                return False
        except TimeoutError:
            is_known = False
    return True if is_known else None


def _compact(arguments: Json, recorded: str | None) -> str:
    return recorded or "" if arguments is INVALID else json_text(arguments)


def _spread(masks: tuple[Mask, Mask], places: np.ndarray, n: int) -> tuple[Mask, Mask]:
    """Masks over some places as masks over all n; false elsewhere."""
    spread = np.zeros((2, n), np.bool_)
    spread[0, places], spread[1, places] = masks
    return spread[0], spread[1]


class RequiredFilter(CallFilter):
    """An entry of `required`, which may ask for several calls."""

    min_count: int = Field(1, ge=1, description="How many calls must meet the entry.")
