"""Checks on the snapshot of files and on the diff: neither reads events or output."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, field_validator, model_validator

from graders.arrays import Mask, Positions, not_null, per_value, to_codes, to_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, Scope, Subject, Taxonomy
from graders.families.search import search_evidence, timeout_sentence
from graders.needles import Expression, Literal, Needle
from graders.outcome import AbstainCode
from graders.parameters import PatternText
from graders.patterns import compile_pattern
from graders.text import Text
from graders.values import quote
from graders.verdicts import Evidence, Verdicts


@dataclasses.dataclass(frozen=True)
class Files:
    """The files of all snapshots of a batch, flattened.

    Attributes:
        row: int64[k], the trajectory of each file.
        paths: its path.
        contents: its content.
        has_snapshot: bool[n], which trajectories have a snapshot, be it empty.
    """

    row: Positions
    paths: pa.Array
    contents: pa.Array
    has_snapshot: Mask

    @classmethod
    def of(cls, batch: TrajectoryBatch) -> Files:
        """The files of a batch."""

        def flatten() -> Files:
            column = batch.column("files")
            lengths = pc.fill_null(column.value_lengths(), 0).to_numpy(zero_copy_only=False)
            paths, contents = column.flatten().flatten()
            return cls(np.repeat(np.arange(len(column)), lengths), paths, contents, not_null(column))

        return batch.memo("files", flatten)


@functools.lru_cache(maxsize=1024)
def compile_glob(glob: str) -> re.Pattern[str]:
    """A glob of paths: `*` and `?` do not cross `/`, `**` does; a leading dot is like any character."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\])", glob)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(wild.get(part) or _literal_or_class(part) for part in parts), re.DOTALL)


def _literal_or_class(part: str) -> str:
    if len(part) < 3 or part[0] != "[" or part[-1] != "]":
        return re.escape(part)
    body = part[1:-1]
    is_negated, body = body.startswith("!"), body.removeprefix("!")
    escaped = re.sub(r"([\\\[\]^&|~])", r"\\\1", body)
    return f"(?!/)[{'^' if is_negated else ''}{escaped}]"


class FileCheck(Check):
    """A check on the files whose path matches a glob."""

    taxonomy: ClassVar[Taxonomy] = Taxonomy(scope=Scope.POINT_IN_TIME)
    subject: ClassVar[Subject] = Subject.NOTHING
    allows_turn: ClassVar[bool] = False
    is_absence: ClassVar[bool] = False

    path: str = Field(min_length=1, description="Glob of paths: `*` does not cross `/`, `**` does.")

    @field_validator("path")
    @classmethod
    def _check_glob(cls, path: str) -> str:
        try:
            compile_glob(path)
        except re.error as error:
            raise ValueError(f"not a glob: {error}") from error
        return path

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"files"})

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return self.is_absence

    def matching(self, batch: TrajectoryBatch) -> Positions:
        """Positions of the files whose path matches, ascending."""
        files = Files.of(batch)
        matches = compile_glob(self.path).fullmatch

        def find() -> Positions:
            paths, codes = batch.memo("file_paths", lambda: to_codes(files.paths))
            return np.flatnonzero(per_value([path is not None and matches(path) for path in paths], codes))

        return batch.memo(("files", self.path), find)

    def decide(
        self, batch: TrajectoryBatch, found: Mask, evidence: Evidence, unobserved: Mask | None = None
    ) -> Verdicts:
        """The verdicts, where a missing snapshot abstains."""
        verdicts = Verdicts.decide(found ^ self.is_absence, evidence, is_unobserved=unobserved)
        return verdicts.abstain(
            ~Files.of(batch).has_snapshot, AbstainCode.MISSING_DATA, "the record has no snapshot of files"
        )


class FileExistence(FileCheck):
    """Whether a file matches."""

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in Check)
        files, matching = Files.of(batch), self.matching(batch)
        first = _first_per_row(matching, files.row, len(batch))
        found = first >= 0
        seen = [f"{quote(path or '')} exists" for path in to_texts(files.paths.take(first[found]))]
        evidence = Evidence(
            np.where(found, np.cumsum(found), 0).astype(np.int32),
            [f"no file matches {quote(self.path)}", *seen],
        )
        return self.decide(batch, found, evidence)


class FileSearch(FileCheck):
    """Whether a needle is found in a matching file."""

    @property
    def needle(self) -> Needle:
        """What is looked for."""
        raise NotImplementedError

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in Check)
        files, matching = Files.of(batch), self.matching(batch)
        texts = Text(batch, files.contents.take(matching))
        in_file, timed_out = self.needle.search(texts)
        n = len(batch)
        first = _first_per_row(matching[in_file], files.row, n)
        found = first >= 0
        has_file = _first_per_row(matching, files.row, n) >= 0
        hits = [
            f"{quote(path or '')} {self.needle.shown}" for path in to_texts(files.paths.take(first[found]))
        ]
        misses = [
            f"no file matches {quote(self.path)}",
            f"no file that matches {quote(self.path)} {self.needle.shown}",
            f"the content of a file that matches {quote(self.path)} is unknown",
        ]
        codes = np.where(found, np.cumsum(found) + len(misses) - 1, has_file)
        evidence = Evidence(codes.astype(np.int32), [*misses, *hits])
        for is_near, how in self.needle.near_misses(texts, ~found[files.row[matching]]):
            near = (_first_per_row(matching[is_near], files.row, n) >= 0) & ~found
            evidence = evidence.replace(near, f"{misses[1]}; in one {how}")
        unread = matching[~not_null(texts.array)]  # A file whose content is not recorded may hold anything.
        has_unread = (_first_per_row(unread, files.row, n) >= 0) & ~found
        evidence = evidence.replace(
            has_unread, f"the content of a file that matches {quote(self.path)} is unknown"
        )
        verdicts = self.decide(batch, found, evidence, ~has_file | has_unread)
        undecided = (_first_per_row(matching[timed_out], files.row, n) >= 0) & ~found
        return verdicts.abstain(undecided, AbstainCode.TIMEOUT, timeout_sentence(self.needle))


class FileLiteral(FileSearch):
    """A literal in files."""

    value: str = Field(min_length=1, description="The text to look for, case-sensitive.")

    @property
    def needle(self) -> Needle:  # noqa: D102  (as in FileSearch)
        return Literal(self.value, is_case_sensitive=True)


class FilePattern(FileSearch):
    """A pattern in files."""

    pattern: PatternText = Field(description="RE2 pattern, searched anywhere; (?i) ignores case.")

    @property
    def needle(self) -> Needle:  # noqa: D102  (as in FileSearch)
        return Expression(compile_pattern(self.pattern))


def _first_per_row(files: Positions, row: Positions, n: int) -> Positions:
    """The first of some files of each trajectory, int64[n]; -1 for none."""
    first = np.full(n, -1, np.int64)
    first[row[files[::-1]]] = files[::-1]
    return first


class DiffCheck(Check):
    """A check on the unified diff; in a turn slice on that of the turn."""

    taxonomy: ClassVar[Taxonomy] = Taxonomy(scope=Scope.POINT_IN_TIME)
    subject: ClassVar[Subject] = Subject.NOTHING

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"diff", "turn_diffs"})

    def diff(self, batch: TrajectoryBatch) -> Text:
        """The diff of each trajectory or slice; null where none is recorded."""
        if not batch.is_slice:
            return Text(batch, batch.column("diff"), "diff")
        return Text(batch, batch.memo("turn_diff", lambda: _turn_diffs(batch)), "turn_diff")

    def settle(self, batch: TrajectoryBatch, verdicts: Verdicts) -> Verdicts:
        """The verdicts, where a missing diff abstains."""
        missing = ~not_null(self.diff(batch).array)
        return verdicts.abstain(missing, AbstainCode.MISSING_DATA, "the record has no diff")


def _turn_diffs(batch: TrajectoryBatch) -> pa.Array:
    """The diff of the turn in view of each trajectory; the last one recorded, should there be several."""
    column = batch.column("turn_diffs")
    lengths = pc.fill_null(column.value_lengths(), 0).to_numpy(zero_copy_only=False)
    turns, diffs = column.flatten().flatten()
    row = np.repeat(np.arange(len(column)), lengths)
    numbers = batch.turn_numbers
    assert numbers is not None  # noqa: S101  (of a slice)
    is_of_turn = (
        (pc.fill_null(turns, 0).to_numpy(zero_copy_only=False) == numbers[row])
        & not_null(turns)
        & not_null(diffs)
    )
    at = np.full(len(column), -1, np.int64)
    at[row[is_of_turn]] = np.flatnonzero(is_of_turn)
    return diffs.take(pa.array(np.maximum(at, 0), mask=at < 0))


class DiffSearch(DiffCheck):
    """Whether a needle is found in the diff, file headers included."""

    is_absence: ClassVar[bool] = False

    value: str | None = Field(None, min_length=1, description="The text to look for, case-sensitive.")
    pattern: PatternText | None = Field(None, description="RE2 pattern, instead of value.")

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return self.is_absence

    @model_validator(mode="after")
    def _has_needle(self) -> DiffSearch:
        if (self.value is None) == (self.pattern is None):
            raise ValueError("exactly one of value and pattern is needed")
        return self

    @property
    def needle(self) -> Needle:
        """What is looked for."""
        if self.value is not None:
            return Literal(self.value, is_case_sensitive=True)
        return Expression(compile_pattern(self.pattern or ""))

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        diff = self.diff(batch)
        found, timed_out = self.needle.search(diff)
        evidence = search_evidence("the diff", self.needle, diff, found)
        verdicts = self.settle(batch, Verdicts.decide(found ^ self.is_absence, evidence))
        return verdicts.abstain(timed_out, AbstainCode.TIMEOUT, timeout_sentence(self.needle))
