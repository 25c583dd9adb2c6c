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
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from graders.arrays import Codes, Mask
from graders.batch import TrajectoryBatch
from graders.check import Check, Determinism, ExactTool, ListedTool, Reference, Taxonomy
from graders.families.call_grid import CallGrid, call_grids
from graders.families.calls import Calls
from graders.families.reference_calls import read_calls
from graders.matching import common_subsequences, maximum_matching
from graders.outcome import AbstainCode
from graders.references import ReferencePath, resolve_references
from graders.values import INVALID, Predicate, contains, equals, parse_path, quote
from graders.verdicts import Evidence, MatchCounts, Verdicts

Mode = Literal["exact", "unordered", "in_order", "any_order", "superset", "subset"]
ArgumentMode = Literal["exact", "contains", "ignore"]


class ReferenceCall(BaseModel):
    """A call of the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tool: str = Field(min_length=1, description="Exact name of the tool.")
    # The factory, unlike a default of None, lets null be written too, as in recorded calls.
    arguments: dict[str, Any] | None = Field(
        default_factory=lambda: None, description="Its arguments; without, or null, any will do."
    )


@dataclasses.dataclass(frozen=True)
class _References:
    """The reference calls: r distinct lists of up to e calls, and which list each trajectory has.

    Attributes:
        tools: int32[r + 1, e], the code of each tool; `_NO_CALL` behind the end. The last line is empty.
        tests: of each list and call, what its arguments must meet; None where any will do.
        lengths: int64[r + 1], how many calls each list has.
        codes: int32[n], the list of each trajectory, or -1 where it has none.
    """

    tools: npt.NDArray[np.int32]
    tests: Sequence[Sequence[Predicate | None]]
    lengths: npt.NDArray[np.int64]
    codes: Codes

    @property
    def has_tests(self) -> bool:
        """Whether any arguments matter."""
        return any(test is not None for tests in self.tests for test in tests)

    @property
    def most_calls(self) -> int:
        """How many calls the longest list has."""
        return self.tools.shape[1]


_NO_CALL = -3
_UNKNOWN_TOOL = -2
_CELLS = 1 << 22


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
        calls = Calls.of(batch)
        names, codes = batch.events.codes("tool_name")
        # A name may stand twice in the dictionary of a file: its last code is that of all its calls.
        code_of = {name: code for code, name in enumerate(names)}
        canonical = np.array([*(code_of[name] for name in names), -1], np.int32)
        tools = canonical[codes[calls.selection.positions]]
        references = self._references(batch, code_of)
        ignored = np.array([name in self.ignore for name in names] + [False], np.bool_)
        n = len(batch)
        passed, could_pass = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        matched, actual = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
        for grid in call_grids(calls, ~ignored[tools], _CELLS // max(references.most_calls, 1)):
            rows, n_made = grid.rows, grid.lengths
            edges, is_bad = self._edges(calls, tools, references, grid)
            n_expected = references.lengths[references.codes[rows]]
            wanted = None if references.has_tests else references.tools[references.codes[rows]]
            passed[rows], matched[rows] = self._judge(edges, wanted, n_expected, n_made)
            actual[rows] = n_made
            if is_bad.any():
                could_pass[rows], _ = self._judge(edges | is_bad, wanted, n_expected, n_made)
        has_reference = references.codes >= 0
        counts = MatchCounts(
            matched=np.where(has_reference, matched, -1).astype(np.int32),
            actual=np.where(has_reference, actual, -1).astype(np.int32),
            reference=np.where(has_reference, references.lengths[references.codes], -1).astype(np.int32),
        )
        evidence = Evidence.of_counts(
            [
                np.maximum(count, 0).astype(np.int64)
                for count in (counts.matched, counts.reference, counts.actual)
            ],
            lambda m, r, a: f"{m} of {r} reference call(s) matched, {a} call(s) made ({self.mode})",
        )
        verdicts = Verdicts.decide(passed & has_reference, evidence, is_doubtful=could_pass)
        unresolved = f"the reference has no list of calls at {quote(self.reference_path or '')}"
        return dataclasses.replace(verdicts, counts=counts).abstain(
            ~has_reference, AbstainCode.SETUP_INVALID, unresolved
        )

    def _references(self, batch: TrajectoryBatch, code_of: Mapping[str | None, int]) -> _References:
        if self.calls is not None:
            lists = [[(call.tool, call.arguments) for call in self.calls]]
            codes = np.zeros(len(batch), np.int32)
        else:
            lists, codes = resolve_references(batch, parse_path(self.reference_path or ""), read_calls)
        lists = [[call for call in calls if call[0] not in self.ignore] for calls in lists]
        lengths = np.array([*map(len, lists), 0], np.int64)
        tools = np.full((len(lists) + 1, int(lengths.max())), _NO_CALL, np.int32)
        for number, calls in enumerate(lists):
            tools[number, : len(calls)] = [code_of.get(tool, _UNKNOWN_TOOL) for tool, _ in calls]
        compile_test = {"exact": equals, "contains": contains}.get(self.args)
        tests = [
            [
                None if arguments is None or compile_test is None else compile_test(arguments)
                for _, arguments in calls
            ]
            for calls in lists
        ]
        return _References(tools, tests, lengths, codes)

    def _edges(
        self, calls: Calls, tools: Codes, references: _References, grid: CallGrid
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which calls would do for which reference calls, and which would but for bad arguments.

        Both are bool[k, e, l] over the k trajectories of the grid, their e reference and l actual calls.
        """
        lists = references.codes[grid.rows]
        made = np.where(grid.calls >= 0, tools[grid.calls], -1)
        edges = references.tools[lists][:, :, None] == made[:, None, :]
        is_bad = np.zeros_like(edges)
        is_tested = np.zeros(references.tools.shape, np.bool_)
        for number, tests in enumerate(references.tests):
            is_tested[number, : len(tests)] = [test is not None for test in tests]
        tested = np.nonzero(edges & is_tested[lists][:, :, None])
        if len(tested[0]):
            trajectory, expected, at = tested
            numbers = grid.calls[trajectory, at]
            among = np.zeros(len(tools), np.bool_)
            among[numbers] = True
            parsed = calls.arguments(among)
            arguments = [parsed[number] for number in numbers.tolist()]
            of_list = zip(lists[trajectory].tolist(), expected.tolist(), arguments, strict=True)
            edges[tested] = [references.tests[line][call](value) for line, call, value in of_list]
            is_bad[tested] = [value is INVALID for value in arguments]
        return edges, is_bad

    def _judge(
        self,
        edges: npt.NDArray[np.bool_],
        wanted: Codes | None,
        n_expected: npt.NDArray[np.int64],
        n_made: npt.NDArray[np.int64],
    ) -> tuple[Mask, npt.NDArray[np.int32]]:
        """Where the reference is met, and how many of its calls matched."""
        is_ordered = self.mode in ("exact", "in_order")
        matched = common_subsequences(edges) if is_ordered else _matchings(edges, wanted)
        is_met = {
            "exact": (matched == n_expected) & (matched == n_made),
            "unordered": (matched == n_expected) & (matched == n_made),
            "subset": matched == n_made,
        }.get(self.mode, matched == n_expected)
        return is_met, matched


def _matchings(edges: npt.NDArray[np.bool_], wanted: Codes | None) -> npt.NDArray[np.int32]:
    """How many reference calls of each trajectory have a call of their own, int32[k].

    Args:
        edges: bool[k, e, l].
        wanted: int32[k, e], the tool of each reference call where nothing but the tool matters.
    """
    if wanted is not None:  # Of the reference calls of one tool, as many as there are calls of it.
        earlier = np.tri(wanted.shape[1], k=-1, dtype=np.bool_)
        rank = ((wanted[:, :, None] == wanted[:, None, :]) & earlier).sum(axis=2)
        return (edges.sum(axis=2) > rank).sum(axis=1).astype(np.int32)
    options = ([np.flatnonzero(line).tolist() for line in table] for table in edges)
    return np.fromiter(map(maximum_matching, options), np.int32, len(edges))
