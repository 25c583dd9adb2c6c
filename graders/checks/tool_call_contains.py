"""toolCallContains: the agent called a tool with certain arguments.

Passes when one call of exactly that tool has arguments that contain the expected ones.
Fails when there is no such call. Bad arguments (text that is not a JSON object) satisfy nothing,
so a failure that rests on them is no pass when negated.
Abstains when the record has no events.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from graders.arrays import Mask, Positions, to_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, ExactTool, ListedTool
from graders.families.calls import never_called
from graders.select import Selection, to_event_index
from graders.values import (
    INVALID,
    Json,
    Predicate,
    canonical_text,
    contains,
    cut,
    json_text,
    parse_arguments,
    quote,
)
from graders.verdicts import Evidence, Verdicts

_MANY = 1 << 32
"""More arguments than a call can lack."""


class ToolCallContains(Check):
    """Pass when a call of the tool has arguments that contain the expected ones."""

    type_name: ClassVar[str] = "toolCallContains"

    tool: str = Field(min_length=1, description="Exact, case-sensitive name of the tool.")
    arguments: dict[str, Any] = Field(
        description="Arguments that one call must contain, recursively; {} is any object."
    )

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.tool_name", "events.arguments"})

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return (ListedTool(self.tool, ExactTool(self.tool)),)

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        calls = batch.calls_of(ExactTool(self.tool))
        arguments: list[Json] = batch.memo(
            ("arguments_of", self.tool),
            lambda: list(map(parse_arguments, to_texts(calls.text("arguments").array))),
        )
        is_bad: Mask = batch.memo(("bad_arguments_of", self.tool), lambda: _mask(_is_bad, arguments))
        # Checks that ask for the same argument share the answer.
        lacks = [
            batch.memo(
                ("lacks", self.tool, key, canonical_text(value)),
                lambda key=key, value=value: _mask(
                    functools.partial(_lacks, key, contains(value)), arguments
                ),
            )
            for key, value in self.arguments.items()
        ]
        n_lacking = np.where(is_bad, _MANY, sum(lacks, np.zeros(len(calls), np.int64)))
        matching = calls.where(n_lacking == 0)
        passed, n_bad = matching.any(), calls.where(is_bad).count()
        evidence = never_called(batch, self.tool)
        evidence = evidence.replace(passed, f"a call of {self._shown} contained {self._wanted}")
        nearest = _nearest(calls, n_lacking, passed)
        near = [
            self._describe([bool(lack[at]) for lack in lacks], arguments[at]) if at >= 0 else ""
            for at in nearest.tolist()
        ]
        evidence = evidence.replace(calls.any() & ~passed, self._misses(near, calls.count(), n_bad))
        near_positions = np.where(nearest >= 0, calls.positions[nearest], -1) if len(calls) else nearest
        index = to_event_index(batch, np.where(passed, matching.first_position(), near_positions))
        return Verdicts.decide(passed, evidence, index, is_doubtful=n_bad > 0)

    @property
    def _shown(self) -> str:
        return quote(self.tool)

    @property
    def _wanted(self) -> str:
        return cut(json_text(self.arguments))

    def _misses(self, near: list[str], n_calls: Positions, n_bad: Positions) -> Evidence:
        """What each trajectory's calls lack, each distinct sentence written once."""
        numbers: dict[tuple[str, int, int], int] = {}
        keys = zip(near, n_calls.tolist(), n_bad.tolist(), strict=True)
        codes = [numbers.setdefault(key, len(numbers)) for key in keys]
        return Evidence(np.array(codes, np.int32), [self._sentence(*key) for key in numbers])

    def _sentence(self, near: str, n_calls: int, n_bad: int) -> str:
        return (
            f"none of {n_calls} call(s) of {self._shown} contained {self._wanted}"
            + (f"; the nearest has {near}" if near else "")
            + (f"; {n_bad} had bad arguments (not a JSON object)" if n_bad else "")
        )

    @functools.cached_property
    def _expected(self) -> dict[str, str]:
        return {key: cut(json_text(value), 40) for key, value in self.arguments.items()}

    def _describe(self, is_lacking: Sequence[bool], actual: Json) -> str:
        """What a call has in place of the arguments that it lacks."""
        lacking = [key for key, lacks in zip(self.arguments, is_lacking, strict=True) if lacks]
        return ", ".join(
            [
                f"{key}: {_short(actual[key])}, expected {self._expected[key]}"
                if key in actual
                else f"no {key}"
                for key in lacking[:3]
            ]
        )


def _mask(test: Predicate, values: Sequence[Json]) -> Mask:
    return np.fromiter(map(test, values), np.bool_, len(values))


def _is_bad(arguments: Json) -> bool:
    return arguments is INVALID


def _lacks(key: str, test: Predicate, arguments: Json) -> bool:
    return arguments is INVALID or not test(arguments.get(key, INVALID))


def _nearest(calls: Selection, n_lacking: Positions, passed: Mask) -> Positions:
    """Of each trajectory that fails, the first call that lacks the fewest arguments; -1 for none."""
    candidates = np.flatnonzero(~passed[calls.row] & (n_lacking < _MANY))
    order = candidates[np.lexsort((n_lacking[candidates], calls.row[candidates]))]
    nearest = np.full(len(passed), -1, np.int64)
    nearest[calls.row[order][::-1]] = order[::-1]
    return nearest


def _short(value: Json) -> str:
    return _short_scalar(type(value), value) if isinstance(value, (str, int)) else cut(json_text(value), 40)


@functools.lru_cache(maxsize=4096)
def _short_scalar(kind: type, value: str | int) -> str:
    del kind  # True is 1 to a cache, but not in JSON.
    return cut(json_text(value), 40)
