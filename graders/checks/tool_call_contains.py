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
from graders.values import INVALID, Json, contains, cut, json_text, parse_arguments, quote
from graders.verdicts import Evidence, Verdicts


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
        test = contains(self.arguments)
        is_match = np.fromiter((test(value) for value in arguments), np.bool_, len(arguments))
        is_bad = np.fromiter((value is INVALID for value in arguments), np.bool_, len(arguments))
        matching = calls.where(is_match)
        passed, n_bad = matching.any(), calls.where(is_bad).count()
        evidence = never_called(batch, self.tool)
        evidence = evidence.replace(passed, f"a call of {self._shown} contained {self._wanted}")
        nearest, misses = self._nearest(calls, arguments, passed, n_bad)
        evidence = evidence.replace(calls.any() & ~passed, misses)
        index = to_event_index(batch, np.where(passed, matching.first_position(), nearest))
        return Verdicts.decide(passed, evidence, index, is_doubtful=n_bad > 0)

    @property
    def _shown(self) -> str:
        return quote(self.tool)

    @property
    def _wanted(self) -> str:
        return cut(json_text(self.arguments))

    def _nearest(
        self, calls: Selection, arguments: list[Json], passed: Mask, n_bad: Positions
    ) -> tuple[Positions, Evidence]:
        """Of each trajectory that fails, the call that lacks the fewest arguments, and what it lacks."""
        n = len(passed)
        tests = [(key, contains(value)) for key, value in self.arguments.items()]
        best: list[tuple[int, list[str]]] = [(-1, [""] * (len(tests) + 1))] * n
        rows = calls.row
        failing = np.flatnonzero((~passed)[rows])
        for at, row in zip(failing.tolist(), rows[failing].tolist(), strict=True):
            actual = arguments[at]
            if actual is not INVALID:
                missed = [key for key, test in tests if not test(actual.get(key, INVALID))]
                if len(missed) < len(best[row][1]):
                    best[row] = at, missed
        numbers: dict[tuple[str, int, int], int] = {}
        codes = np.zeros(n, np.int32)
        counts, bad = calls.count().tolist(), n_bad.tolist()
        for row in np.unique(rows[failing]).tolist():
            at, missed = best[row]
            near = self._describe(missed, arguments[at]) if at >= 0 else ""
            codes[row] = numbers.setdefault((near, counts[row], bad[row]), len(numbers))
        nearest = np.array([at for at, _ in best], np.int64)
        positions = np.where(nearest >= 0, calls.positions[nearest], -1) if len(calls) else nearest
        return positions, Evidence(codes, [self._sentence(*key) for key in numbers] or [""])

    def _sentence(self, near: str, n_calls: int, n_bad: int) -> str:
        return (
            f"none of {n_calls} call(s) of {self._shown} contained {self._wanted}"
            + (f"; the nearest has {near}" if near else "")
            + (f"; {n_bad} had bad arguments (not a JSON object)" if n_bad else "")
        )

    @functools.cached_property
    def _expected(self) -> dict[str, str]:
        return {key: cut(json_text(value), 40) for key, value in self.arguments.items()}

    def _describe(self, missed: list[str], actual: Json) -> str:
        """What a call has in place of the arguments that it lacks."""
        return ", ".join(
            f"{key}: {cut(json_text(actual[key]), 40)}, expected {self._expected[key]}"
            if key in actual
            else f"no {key}"
            for key in missed[:3]
        )
