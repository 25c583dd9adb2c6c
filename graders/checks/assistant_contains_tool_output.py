"""assistant-contains-tool-output: the agent told what a tool returned.

Passes when a value captured from a result of a listed tool is a substring of an
assistant_message after that result; any one suffices.
Fails when nothing was captured, nothing captured was echoed, or the pattern is invalid (which
stays a fail under negation).
Abstains when the record has no events, and with TIMEOUT when no value is known to be echoed and
a pattern that RE2 refuses ran into its limit.

The pattern is searched once in each result, the first match counts. The captured value is group
1, or the whole match of a pattern without groups; an empty one is skipped. The value is compared
as a plain substring, without regard to word boundaries or number formats. The evidence of a fail
quotes the first three distinct values that were looked for.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from graders.arrays import Positions, decode
from graders.batch import TrajectoryBatch
from graders.check import Check, ListedTool
from graders.outcome import AbstainCode
from graders.parameters import LenientPatternText
from graders.patterns import Pattern, PatternError, compile_pattern
from graders.select import to_event_index
from graders.values import cut, json_text, quote
from graders.verdicts import Evidence, Verdicts

_MOST_QUOTED = 3


@dataclasses.dataclass(frozen=True)
class _Namespaces:
    """Accepts each of some tool names, and names that begin with one of them and a dot."""

    names: tuple[str, ...]

    def __call__(self, name: str) -> bool:
        return any(name == listed or name.startswith(f"{listed}.") for listed in self.names)


class AssistantContainsToolOutput(Check):
    """Pass when the agent repeats a value that a tool returned."""

    type_name: ClassVar[str] = "assistant-contains-tool-output"

    tools: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        min_length=1, strict=False, description="Tool names; `a` also stands for `a.b`."
    )
    pattern: LenientPatternText = Field(description="RE2 pattern; its group 1 is the captured value.")

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset(f"events.{name}" for name in ("tool_name", "tool_call_id", "step", "content"))

    @functools.cached_property
    def _compiled(self) -> Pattern | PatternError:
        try:
            return compile_pattern(self.pattern)
        except PatternError as error:
            return error

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return [ListedTool(name, _Namespaces((name,))) for name in self.tools]

    def warnings(self) -> Sequence[str]:  # noqa: D102
        if isinstance(self._compiled, PatternError):
            return [f"pattern: {self._invalid(self._compiled)}; every verdict will be a fail"]
        return []

    def _invalid(self, error: PatternError) -> str:
        return f"invalid regex {cut(json_text(self.pattern))}: {error}"

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        if isinstance(self._compiled, PatternError):
            nothing = np.zeros(len(batch), np.bool_)
            evidence = Evidence.constant(len(batch), self._invalid(self._compiled))
            return Verdicts.decide(nothing, evidence, is_final=~nothing)
        results = batch.results_of(_Namespaces(self.tools))
        captures = results.text().capture(self._compiled)
        has_value = np.fromiter(map(bool, captures.values), np.bool_, len(results))
        captured = results.where(has_value)
        values = [value for value in captures.values if value]
        messages = batch.messages()
        echoes = messages.text().first_containing(values, *captured.following(messages))

        # Per trajectory the first capture that is echoed, and the message that echoes it.
        is_echoed = echoes >= 0
        echoed = captured.where(is_echoed)
        first_echoed = np.full(len(batch), -1, np.int64)
        first_echoed[echoed.row[::-1]] = np.flatnonzero(is_echoed)[::-1]
        passed = first_echoed >= 0
        message = np.full(len(batch), -1, np.int64)
        message[passed] = messages.positions[echoes[first_echoed[passed]]]
        event_index = np.where(passed, to_event_index(batch, message), captured.first_index())
        evidence = self._evidence(values, first_echoed, captured.count())
        timed_out = results.where(captures.is_timeout).any() & ~passed
        return Verdicts.decide(passed, evidence, event_index).abstain(
            timed_out, AbstainCode.TIMEOUT, f"the search for {cut(json_text(self.pattern))} took over 1 s"
        )

    def _evidence(self, values: list[bytes], first_echoed: Positions, n_captured: Positions) -> Evidence:
        tools = ", ".join(map(quote, self.tools))
        sentences = [f"no {tools} output matched {cut(json_text(self.pattern))}"]
        codes = np.zeros(len(first_echoed), np.int32)
        has_value = np.flatnonzero(n_captured)
        codes[has_value] = np.arange(1, len(has_value) + 1)
        ends = np.cumsum(n_captured)[has_value].tolist()
        counts = n_captured[has_value].tolist()
        for echoed, n, end in zip(first_echoed[has_value].tolist(), counts, ends, strict=True):
            sentences.append(
                f"assistant echoed captured value {quote(decode(values[echoed]))}"
                if echoed >= 0
                else f"assistant did not echo {n} captured value(s): {_listed(values[end - n : end])}"
            )
        return Evidence(codes, sentences)


def _listed(values: Sequence[bytes]) -> str:
    """The first of some values, each once."""
    if len(values) == 1:  # As a rule.
        return quote(decode(values[0]))
    distinct = list(dict.fromkeys(values))
    shown = ", ".join(quote(decode(value)) for value in distinct[:_MOST_QUOTED])
    more = len(distinct) - _MOST_QUOTED
    return f"{shown} and {more:,} more" if more > 0 else shown
