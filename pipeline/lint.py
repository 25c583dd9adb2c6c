"""Lint: what a spec says that its author probably does not mean, each finding with a fix.

A finding is no error: the spec loads, and means what SEMANTICS says. With a sample of the data, lint
also grades it and tells what the sample shows.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import time
from collections.abc import Iterator, Mapping, Sequence

from graders.batch import TrajectoryBatch
from graders.grading import grade
from graders.parameters import patterns_in
from graders.patterns import compile_pattern
from graders.scope import CheckEntry
from graders.tally import Tally
from graders.values import json_text
from pipeline import files
from pipeline.errors import invalid, nearest
from pipeline.sources.avro import read_avro
from pipeline.sources.inputs import WorkItem, find_inputs, known_rows
from pipeline.sources.parquet import read_row_group
from pipeline.sources.records import ColumnMap, Piece, ReadPlan
from pipeline.specs.loaded import LoadedSpec

FINDINGS = {
    "backspace": "a pattern with a backspace, written as \\b in double quotes",
    "anchored-alternation": "an alternation whose anchors hold for one branch only",
    "capture-in-branch": "a captured value that one branch of an alternation never gives",
    "matches-empty": "a pattern that matches the empty text, and so every text",
    "slow-pattern": "a pattern that needs the slow engine",
    "duplicate-check": "two checks that are the same",
    "never-gates": "a check that can never fail a trajectory",
    "negative-only": "a spec that nothing but absence satisfies",
    "unknown-tool": "a tool that no sampled trajectory used",
    "always-passes": "a check that passed on all of the sample",
    "always-abstains": "a check that abstained on all of the sample",
    "concerns-none": "a check that concerns no trajectory of the sample",
}
"""The codes of findings, and what each is."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that is probably not meant.

    Attributes:
        place: `file:line: path`.
        code: a key of `FINDINGS`.
        message: what was found, and how to mend it.
    """

    place: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.code}: {self.message}"


def lint_spec(spec: LoadedSpec) -> list[Finding]:
    """What a spec alone shows."""
    findings: list[Finding] = []
    for entry, place in zip(spec.entries, spec.dialect.places, strict=True):
        for path, source in patterns_in(entry.check):
            where = f"{place}.config.{path}"
            findings += [Finding(where, code, message) for code, message in _lint_pattern(entry, source)]
    findings += _duplicates(spec)
    findings += _never_gates(spec)
    if all(entry.check.passes_on_absence != entry.negate for entry in spec.entries):
        findings.append(
            Finding(
                spec.file,
                "negative-only",
                "every check passes where nothing happened; add one that asks for what the run should do",
            )
        )
    return findings


def _lint_pattern(entry: CheckEntry, source: str) -> Iterator[tuple[str, str]]:
    shown = json_text(source)
    if "\b" in source:
        yield (
            "backspace",
            f"{shown} looks for a backspace; write \\b in single quotes, or \\\\b in double ones",
        )
    branches = _branches(source)
    if len(branches) > 1:
        if branches[0].startswith("^") != branches[-1].startswith("^") or (
            branches[0].endswith("$") != branches[-1].endswith("$")
        ):
            grouped = re.sub(r"^(\^?)(.*?)(\$?)$", r"\1(?:\2)\3", source, flags=re.DOTALL)
            yield (
                "anchored-alternation",
                f"in {shown} an anchor holds for one branch; write {json_text(grouped)}",
            )
        if entry.check_type == "assistant-contains-tool-output" and "(" in source:
            yield (
                "capture-in-branch",
                f"only group 1 of {shown} is captured; group the branches inside it: (a|b) or (?:x|y)(value)",
            )
    pattern = compile_pattern(source)
    if not pattern.is_bounded and pattern(""):
        yield "matches-empty", f"{shown} is found in every text; ask for at least one character, + for *"
    if pattern.is_bounded:
        yield (
            "slow-pattern",
            f"{shown} has look-around or back-references; without them it runs in linear time",
        )


def _branches(source: str) -> list[str]:
    """The branches of a pattern at its top level."""
    branches, depth, start = [], 0, 0
    tokens = re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", source, re.DOTALL)
    for token in tokens:
        if token[0] == "(":
            depth += 1
        elif token[0] == ")":
            depth -= 1
        elif token[0] == "|" and depth == 0:
            branches.append(source[start : token.start()])
            start = token.end()
    return [*branches, source[start:]]


def _duplicates(spec: LoadedSpec) -> Iterator[Finding]:
    seen: dict[CheckEntry, str] = {}
    for entry, place in zip(spec.entries, spec.dialect.places, strict=True):
        bare = dataclasses.replace(entry, spec_index=0, name=None, advisory=False, weight=1.0)
        key = (bare.check_type, bare.check.model_dump_json(), bare.turn, bare.samples, bare.tags, bare.negate)
        first = seen.setdefault(key, place)  # type: ignore[arg-type]  # any hashable will do
        if first != place:
            yield Finding(place, "duplicate-check", f"the same check as {first}; drop one, or change it")


def _never_gates(spec: LoadedSpec) -> Iterator[Finding]:
    threshold = spec.dialect.threshold
    gating = [entry for entry in spec.entries if not entry.advisory]
    if not gating:
        yield Finding(spec.file, "never-gates", "every check is advisory; take advisory from one")
    if threshold is None:
        return
    for entry, place in zip(spec.entries, spec.dialect.places, strict=True):
        rivals = [other for other in gating if _may_meet(entry, other)]
        total = sum(other.weight for other in rivals)
        if not entry.advisory and len(rivals) > 1 and (total - entry.weight) / total >= threshold:
            yield Finding(
                place,
                "never-gates",
                f"with weight {entry.weight:g} of {total:g} its failure alone keeps the score at or over the"
                f" threshold {threshold:g}; raise the weight or the threshold",
            )


def _may_meet(one: CheckEntry, other: CheckEntry) -> bool:
    """Whether two entries may concern the same trajectory, going by equal or missing selectors."""
    return not one.samples or not other.samples or one.samples == other.samples


@dataclasses.dataclass(frozen=True)
class Sample:
    """What grading a sample showed.

    Attributes:
        findings: what was found.
        rows: trajectories in the sample.
        seconds: how long reading and grading them took.
        total_rows: rows of all the data; None where only reading tells.
    """

    findings: list[Finding]
    rows: int
    seconds: float
    total_rows: int | None

    @property
    def estimate(self) -> str:
        """The time that the whole job will take in one process, in words."""
        if self.total_rows is None or not self.rows:
            return f"{self.rows:,} trajectories took {self.seconds:.1f} s"
        whole = self.seconds * self.total_rows / self.rows
        return (
            f"{self.rows:,} of {self.total_rows:,} trajectories took {self.seconds:.1f} s; all will take"
            f" about {whole:,.0f} s in one process, and no judge calls"
        )


def lint_sample(
    specs: Sequence[LoadedSpec], patterns: Sequence[str], columns: ColumnMap, most: int
) -> Sample:
    """Grade the first trajectories of some data.

    Args:
        specs: the specs.
        patterns: files, directories or globs.
        columns: the columns of the files.
        most: how many trajectories to look at; the batch that reaches it is finished.

    Raises:
        InvalidError: a pattern matches nothing, or a file cannot be read as trajectories.
    """
    entries = [entry for spec in specs for entry in spec.entries]
    needs = frozenset[str]().union(*(entry.needs for entry in entries))
    inputs = find_inputs(patterns, columns, needs)
    references = {sample: text for spec in specs for sample, text in spec.dialect.references.items()}
    plan = ReadPlan(needs, columns, references)
    began = time.monotonic()
    tallies: dict[int, Tally] = {entry.spec_index: Tally() for entry in entries}
    rows, names = 0, set[str]()
    for piece in _pieces([item for file in inputs for item in file.items], plan):
        for record_batch in piece.trajectories()[0]:
            batch = TrajectoryBatch(record_batch)
            for graded in grade(entries, batch):
                index = graded.entry.spec_index
                tallies[index] = tallies[index].merge(graded.tally())
            if batch.events.has_column("tool_name"):
                names |= {name for name in batch.events.codes("tool_name")[0] if name}
            rows += len(batch)
        if rows >= most:
            break
    seconds = time.monotonic() - began
    places = {
        entry.spec_index: place
        for spec in specs
        for entry, place in zip(spec.entries, spec.dialect.places, strict=True)
    }
    findings = [finding for entry in entries for finding in _judge(entry, tallies, names, places)]
    return Sample(findings, rows, seconds, known_rows(inputs))


def _pieces(items: Sequence[WorkItem], plan: ReadPlan) -> Iterator[Piece]:
    for item in items:
        try:
            with files.open_read(item.path) as file:
                yield from (
                    read_avro(file, plan)
                    if item.format == "avro"
                    else read_row_group(file, item.row_group, plan)
                )
        except GeneratorExit:
            raise
        except Exception as error:  # Damage shows in as many ways as there are codecs.
            raise invalid(item.path, " ".join(f"cannot be read: {error}".split())) from error


def _judge(
    entry: CheckEntry, tallies: Mapping[int, Tally], names: set[str], places: Mapping[int, str]
) -> Iterator[Finding]:
    tally, place = tallies[entry.spec_index], places[entry.spec_index]
    for bit, tool in enumerate(entry.check.listed_tools()):
        if not tally.seen_tools >> bit & 1:
            hint = nearest(tool.text, names)
            yield Finding(
                place, "unknown-tool", f"no trajectory used {tool.text!r}{hint}; check the spelling"
            )
    if not tally.total:
        yield Finding(place, "concerns-none", "no trajectory has such a sample or such tags")
    elif tally.passed == tally.total:
        yield Finding(place, "always-passes", f"passed on all {tally.total:,}; does it test anything?")
    elif not tally.passed and not tally.failed:
        reasons = ", ".join(itertools.starmap("{} {}".format, tally.abstain_reasons().items()))
        yield Finding(place, "always-abstains", f"abstained on all {tally.total:,}: {reasons}")
