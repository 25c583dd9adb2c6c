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

from graders.arrays import to_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, ExactTool, ListedTool
from graders.values import INVALID, contains, cut, json_text, parse_arguments, quote
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
        passed, n_bad = calls.where(is_match).any(), calls.where(is_bad).count()
        evidence = Evidence.of_counts([passed.astype(np.int64), calls.count(), n_bad], self._describe)
        return Verdicts.decide(passed, evidence, calls.where(is_match).first_index(), is_doubtful=n_bad > 0)

    def _describe(self, passed: int, n_calls: int, n_bad: int) -> str:
        tool, wanted = quote(self.tool), cut(json_text(self.arguments))
        if passed:
            return f"a call of {tool} contained {wanted}"
        if not n_calls:
            return f"{tool} was never called"
        bad = f"; {n_bad} had bad arguments (not a JSON object)" if n_bad else ""
        return f"none of {n_calls} call(s) of {tool} contained {wanted}{bad}"
