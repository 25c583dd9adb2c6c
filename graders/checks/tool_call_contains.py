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
from graders.values import INVALID, Json, Predicate, contains, cut, json_text, parse_arguments, quote
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
        arguments = batch.memo(
            ("arguments_of", self.tool),
            lambda: list(map(parse_arguments, to_texts(calls.text("arguments").array))),
        )
        missed = list(map(self._missed, arguments))
        is_match = np.fromiter((keys == () for keys in missed), np.bool_, len(missed))
        is_bad = np.fromiter((keys is None for keys in missed), np.bool_, len(missed))
        matching = calls.where(is_match)
        passed, n_bad = matching.any(), calls.where(is_bad).count()
        evidence = never_called(batch, self.tool)
        evidence = evidence.replace(passed, f"a call of {self._shown} contained {self._wanted}")
        nearest = self._nearest(calls, missed, passed)
        misses = self._miss_evidence(calls, arguments, missed, nearest, n_bad)
        evidence = evidence.replace(calls.any() & ~passed, misses)
        near_positions = np.where(nearest >= 0, calls.positions[nearest], -1) if len(calls) else nearest
        index = to_event_index(batch, np.where(passed, matching.first_position(), near_positions))
        return Verdicts.decide(passed, evidence, index, is_doubtful=n_bad > 0)

    @functools.cached_property
    def _tests(self) -> list[tuple[str, Predicate]]:
        return [(key, contains(value)) for key, value in self.arguments.items()]

    def _missed(self, actual: Json) -> tuple[str, ...] | None:
        """The arguments that a call lacks; None of bad arguments, which satisfy nothing."""
        if actual is INVALID:
            return None
        return tuple([key for key, test in self._tests if not test(actual.get(key, INVALID))])

    @property
    def _shown(self) -> str:
        return quote(self.tool)

    @property
    def _wanted(self) -> str:
        return cut(json_text(self.arguments))

    def _nearest(self, calls: Selection, missed: list[tuple[str, ...] | None], passed: Mask) -> Positions:
        """Of each trajectory that fails, the first call that lacks the fewest arguments; -1 for none."""
        fewest = np.array([_MANY if keys is None else len(keys) for keys in missed], np.int64)
        candidates = np.flatnonzero(~passed[calls.row] & (fewest < _MANY))
        order = candidates[np.lexsort((fewest[candidates], calls.row[candidates]))]
        nearest = np.full(len(passed), -1, np.int64)
        nearest[calls.row[order][::-1]] = order[::-1]
        return nearest

    def _miss_evidence(
        self,
        calls: Selection,
        arguments: list[Json],
        missed: list[tuple[str, ...] | None],
        nearest: Positions,
        n_bad: Positions,
    ) -> Evidence:
        """What each trajectory's calls lack, each distinct sentence written once."""
        near = [self._describe(missed[at] or (), arguments[at]) if at >= 0 else "" for at in nearest.tolist()]
        numbers: dict[tuple[str, int, int], int] = {}
        keys = zip(near, calls.count().tolist(), n_bad.tolist(), strict=True)
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

    def _describe(self, missed: tuple[str, ...], actual: Json) -> str:
        """What a call has in place of the arguments that it lacks."""
        return ", ".join(
            [
                f"{key}: {_short(actual[key])}, expected {self._expected[key]}"
                if key in actual
                else f"no {key}"
                for key in missed[:3]
            ]
        )


def _short(value: Json) -> str:
    return _short_scalar(type(value), value) if isinstance(value, (str, int)) else cut(json_text(value), 40)


@functools.lru_cache(maxsize=4096)
def _short_scalar(kind: type, value: str | int) -> str:
    del kind  # True is 1 to a cache, but not in JSON.
    return cut(json_text(value), 40)
