"""argument-from-result: what a call was given came from an earlier result of another tool.

Passes when the argument's text of every call of the tool (which: all) or of one (any) occurs in an earlier
result of the tool it should come from. The text of a number is its JSON; with a pattern it is group 1, or
the whole match.
Fails otherwise, also without a call of the tool; an empty, missing or structured argument comes from
nowhere. A failure that rests on bad arguments is no pass when negated.
Abstains with TIMEOUT when a pattern that RE2 refuses ran into its limit, and when the record has no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from graders.arrays import byte_lengths, encode, from_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, Determinism, ExactTool, ListedTool, Taxonomy
from graders.families.calls import CALL_NEEDS, Calls
from graders.outcome import AbstainCode
from graders.parameters import PatternText
from graders.patterns import compile_pattern
from graders.text import Text
from graders.values import INVALID, Json, json_text, parse_path, quote, resolve
from graders.verdicts import Evidence, Verdicts


class ArgumentFromResult(Check):
    """Pass when an argument came from an earlier result of another tool."""

    type_name: ClassVar[str] = "argument-from-result"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.COMPLEX_STATIC)

    tool: str = Field(min_length=1, description="Exact name of the tool whose calls are looked at.")
    argument: str = Field(min_length=1, description="Path of the argument: a.b[0].")
    source: str = Field(min_length=1, alias="from", description="Exact name of the tool it should come from.")
    pattern: PatternText | None = Field(None, description="RE2 pattern; its group 1 is looked for.")
    which: Literal["all", "any"] = Field("all", description="Whether all calls or one must do.")

    @field_validator("argument")
    @classmethod
    def _check_path(cls, path: str) -> str:
        parse_path(path)
        return path

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return CALL_NEEDS | {"events.arguments", "events.content"}

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return [ListedTool(name, ExactTool(name)) for name in dict.fromkeys((self.tool, self.source))]

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        calls = batch.calls_of(ExactTool(self.tool))
        is_chosen = np.isin(batch.calls().positions, calls.positions)
        all_arguments = Calls.of(batch).arguments(is_chosen)
        arguments = [value for value, chosen in zip(all_arguments, is_chosen.tolist(), strict=True) if chosen]
        needles, is_timeout = self._needles(batch, arguments)
        results = batch.results_of(ExactTool(self.source))
        texts = results.text()
        low = np.searchsorted(results.positions, batch.events.offsets[calls.row])
        high = np.searchsorted(results.positions, calls.positions)
        holds = texts.first_containing(needles, low, high) >= 0
        # Bad arguments may have come from a result that was there before, if it had any text.
        texts_before = np.concatenate(([0], np.cumsum(byte_lengths(texts.array) > 0)))
        is_bad = np.fromiter((value is INVALID for value in arguments), np.bool_, len(arguments))
        is_bad &= texts_before[high] > texts_before[low]

        count, good = calls.count(), calls.where(holds).count()
        hopeful = calls.where(holds | is_bad).count()
        enough = np.maximum(count, 1) if self.which == "all" else np.ones_like(count)
        passed = good >= enough
        evidence = Evidence.of_counts([count, good], self._describe)
        first = calls.where(holds if self.which == "any" else ~holds).first_index()
        verdicts = Verdicts.decide(passed, evidence, first, is_doubtful=(hopeful >= enough) & ~passed)
        undecided = calls.where(is_timeout).any() & ~passed
        return verdicts.abstain(undecided, AbstainCode.TIMEOUT, "a search in an argument took over 1 s")

    def _describe(self, count: int, good: int) -> str:
        if not count:
            return f"{quote(self.tool)} was never called"
        where = f"in an earlier result of {quote(self.source)}"
        return f"{self.argument} of {good} of {count} call(s) of {quote(self.tool)} occurred {where}"

    def _needles(self, batch: TrajectoryBatch, arguments: list[Json]) -> tuple[list[bytes], np.ndarray]:
        """What is looked for on behalf of each call; empty where there is nothing."""
        path = parse_path(self.argument)
        texts = [_text_of(INVALID if value is INVALID else resolve(value, path)) for value in arguments]
        if self.pattern is None:
            return [encode(text) for text in texts], np.zeros(len(texts), np.bool_)
        captures = Text(batch, from_texts(texts)).capture(compile_pattern(self.pattern))
        return captures.values, captures.is_timeout


def _text_of(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return json_text(value)
    return ""
