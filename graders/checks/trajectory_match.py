"""trajectory-match: the calls made are the calls of a reference.

Passes by mode: exact (the same calls in the same order), unordered (the same multiset), in_order (the
reference is a subsequence), any_order or superset (each reference call has an actual call of its own,
extras allowed), subset (each actual call has a reference call of its own). Arguments are compared
exactly, as contained, or not at all; a reference call without arguments takes any, bad ones too.
Fails otherwise. Bad arguments equal nothing, so a failure that rests on them is no pass when negated.
Abstains with SETUP_INVALID when referencePath does not resolve to a list of calls, with NO_EVIDENCE where
it would pass without agent activity, and when the record has no events.

The verdict stores how many calls matched, were made and were asked for: in the ordered modes the longest
common subsequence is what matched, in the others the largest matching. An abstention stores none. The
summary has their sums, and from them precision, recall and F1 over all calls.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from graders.arrays import Codes
from graders.batch import TrajectoryBatch
from graders.check import Check, Determinism, ExactTool, ListedTool, Reference, Taxonomy
from graders.families.calls import Calls
from graders.matching import is_subsequence, longest_common_subsequence, maximum_matching
from graders.outcome import AbstainCode
from graders.references import ReferencePath, resolve_references
from graders.values import INVALID, Json, Predicate, contains, equals, parse_arguments, parse_path, quote
from graders.verdicts import Evidence, MatchCounts, Verdicts

Mode = Literal["exact", "unordered", "in_order", "any_order", "superset", "subset"]
ArgumentMode = Literal["exact", "contains", "ignore"]


class ReferenceCall(BaseModel):
    """A call of the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tool: str = Field(min_length=1, description="Exact name of the tool.")
    arguments: dict[str, Any] | None = Field(None, description="Its arguments; without, any will do.")


@dataclasses.dataclass(frozen=True)
class _Expected:
    """A reference call, ready to be compared: None as a test takes any arguments."""

    tool: str
    test: Predicate | None


class TrajectoryMatch(Check):
    """Pass when the calls made are those of a reference, in one of six senses."""

    type_name: ClassVar[str] = "trajectory-match"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.COMPLEX_STATIC, reference=Reference.BASED)
    counts_matches: ClassVar[bool] = True

    mode: Mode = Field("exact", description="How actual calls are compared with the reference.")
    args: ArgumentMode = Field("exact", description="How arguments are compared.")
    calls: list[ReferenceCall] | None = Field(None, description="The reference calls.")
    reference_path: ReferencePath | None = Field(None, alias="referencePath")
    ignore: list[Annotated[str, Field(min_length=1)]] = Field(
        [], description="Exact names of tools that are left out, on both sides."
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> TrajectoryMatch:
        if (self.calls is None) == (self.reference_path is None):
            raise ValueError("exactly one of calls and referencePath is needed")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        reference = {"reference"} if self.reference_path else set()
        return frozenset({"events.tool_name", "events.arguments"} | reference)

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        names = dict.fromkeys(call.tool for call in self.calls or ())
        return [ListedTool(name, ExactTool(name)) for name in names]

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        references, codes = self._references(batch)
        made = _CallsMade(batch, frozenset(self.ignore))
        results = [
            self._compare(references[code], made.of_row(row)) if code >= 0 else _NOT_COMPARED
            for row, code in enumerate(codes.tolist())
        ]
        passed = np.array([result.passed for result in results], np.bool_)
        could_pass = np.array([result.could_pass for result in results], np.bool_)
        counts = MatchCounts(
            matched=np.array([result.matched for result in results], np.int32),
            actual=np.array([result.actual for result in results], np.int32),
            reference=np.array([result.reference for result in results], np.int32),
        )
        evidence = Evidence.of_counts(
            [
                np.maximum(count, 0).astype(np.int64)
                for count in (counts.matched, counts.reference, counts.actual)
            ],
            lambda m, r, a: f"{m} of {r} reference call(s) matched, {a} call(s) made ({self.mode})",
        )
        verdicts = Verdicts.decide(passed, evidence, is_doubtful=could_pass & ~passed)
        unresolved = f"the reference has no list of calls at {quote(self.reference_path or '')}"
        return dataclasses.replace(verdicts, counts=counts).abstain(
            codes < 0, AbstainCode.SETUP_INVALID, unresolved
        )

    def _references(self, batch: TrajectoryBatch) -> tuple[list[list[_Expected]], Codes]:
        if self.calls is not None:
            calls = [(call.tool, call.arguments) for call in self.calls]
            return [self._expected(calls)], np.zeros(len(batch), np.int32)
        lists, codes = resolve_references(batch, parse_path(self.reference_path or ""), _read_calls)
        return [self._expected(calls) for calls in lists], codes

    def _expected(self, calls: Sequence[tuple[str, Any]]) -> list[_Expected]:
        compile_test = {"exact": equals, "contains": contains}.get(self.args)
        return [
            _Expected(tool, None if arguments is None or compile_test is None else compile_test(arguments))
            for tool, arguments in calls
            if tool not in self.ignore
        ]

    def _compare(self, expected: list[_Expected], made: list[_Made]) -> _Comparison:
        edges = [_edges(call, made, bad_will_do=False) for call in expected]
        passed, matched = self._judge(edges, len(made))
        could_pass = passed
        if not passed and any(call.arguments() is INVALID for call in made if call.is_read):
            hopeful = [_edges(call, made, bad_will_do=True) for call in expected]
            could_pass, _ = self._judge(hopeful, len(made))
        return _Comparison(passed, could_pass, matched, len(made), len(expected))

    def _judge(self, edges: list[list[int]], n_made: int) -> tuple[bool, int]:
        """Whether the reference is met, and how many of its calls matched."""
        n = len(edges)
        if self.mode in ("exact", "in_order"):
            if self.mode == "exact":
                is_met = n == n_made and all(at in options for at, options in enumerate(edges))
            else:
                is_met = is_subsequence(edges)
            return is_met, n if is_met else longest_common_subsequence(edges, n_made)
        matched = maximum_matching(edges)
        wanted = {"unordered": n == matched == n_made, "subset": matched == n_made}
        return wanted.get(self.mode, matched == n), matched


@dataclasses.dataclass(frozen=True)
class _Comparison:
    passed: bool
    could_pass: bool
    matched: int
    actual: int
    reference: int


_NOT_COMPARED = _Comparison(passed=False, could_pass=False, matched=-1, actual=-1, reference=-1)


class _Made:
    """An actual call; its arguments are parsed when they are asked for."""

    def __init__(self, tool: str | None, text: str | None) -> None:
        self.tool = tool
        self._text = text
        self._parsed: Json = None
        self.is_read = False

    def arguments(self) -> Json:
        if not self.is_read:
            self._parsed, self.is_read = parse_arguments(self._text), True
        return self._parsed


def _edges(expected: _Expected, made: list[_Made], *, bad_will_do: bool) -> list[int]:
    """The actual calls that would do for a reference call."""
    return [
        at
        for at, call in enumerate(made)
        if call.tool == expected.tool
        and (
            expected.test is None
            or expected.test(call.arguments())
            or (bad_will_do and call.arguments() is INVALID)
        )
    ]


class _CallsMade:
    """The calls in view by trajectory, without those of ignored tools."""

    def __init__(self, batch: TrajectoryBatch, ignored: frozenset[str]) -> None:
        calls = Calls.of(batch).selection
        names, codes = batch.events.codes("tool_name")
        self._tools = [None if code < 0 else names[code] for code in codes[calls.positions].tolist()]
        self._texts = calls.text("arguments").to_texts()
        self._starts = np.searchsorted(calls.row, np.arange(len(batch) + 1)).tolist()
        self._ignored = ignored

    def of_row(self, row: int) -> list[_Made]:
        span = range(self._starts[row], self._starts[row + 1])
        return [
            _Made(self._tools[at], self._texts[at]) for at in span if self._tools[at] not in self._ignored
        ]


def _read_calls(value: Json) -> list[tuple[str, Any]] | None:
    """The calls of a list in reference data; None where it is none."""
    if not isinstance(value, list):
        return None
    calls = [_read_call(item) for item in value]
    return None if None in calls else calls  # type: ignore[return-value]  # no None is left


def _read_call(item: Json) -> tuple[str, Any] | None:
    if not isinstance(item, dict):
        return None
    tool = item.get("tool", item.get("name"))
    arguments = next((item[key] for key in ("arguments", "args", "kwargs") if key in item), None)
    if isinstance(arguments, str):  # JSON text, as calls are often recorded.
        arguments = parse_arguments(arguments)
    if not isinstance(tool, str) or not tool or not (arguments is None or isinstance(arguments, dict)):
        return None
    return tool, arguments
