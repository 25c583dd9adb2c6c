"""toolCallContains: the agent called a tool with certain arguments.

Passes when one call of exactly that tool has arguments that contain the expected ones.
Fails when there is no such call. Bad arguments (text that is not a JSON object) satisfy nothing,
so a failure that rests on them is no pass when negated.
Abstains when the record has no events.
"""

from __future__ import annotations

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
        nearest, fewest = np.full(n, -1, np.int64), [len(tests) + 1] * n
        lacking = [""] * n
        failing = (~passed)[calls.row]
        for at in np.flatnonzero(failing).tolist():
            row, actual = int(calls.row[at]), arguments[at]
            if actual is INVALID:
                continue
            missed = [key for key, test in tests if not test(actual.get(key, INVALID))]
            if len(missed) < fewest[row]:
                fewest[row], nearest[row] = len(missed), calls.positions[at]
                lacking[row] = self._describe(missed, actual)
        sentences: dict[str, int] = {}
        codes = np.zeros(n, np.int32)
        counts = calls.count().tolist()
        for row in np.flatnonzero(calls.any() & ~passed).tolist():
            bad = f"; {n_bad[row]} had bad arguments (not a JSON object)" if n_bad[row] else ""
            near = f"; the nearest has {lacking[row]}" if lacking[row] else ""
            sentence = f"none of {counts[row]} call(s) of {self._shown} contained {self._wanted}{near}{bad}"
            codes[row] = sentences.setdefault(sentence, len(sentences))
        return nearest, Evidence(codes, list(sentences) or [""])

    def _describe(self, missed: list[str], actual: Json) -> str:
        """What a call has in place of the arguments that it lacks."""
        return ", ".join(
            f"{key}: {cut(json_text(actual[key]), 40)}, expected {cut(json_text(self.arguments[key]), 40)}"
            if key in actual
            else f"no {key}"
            for key in missed[:3]
        )
