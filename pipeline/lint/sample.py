"""Findings in a sample of the data, and what grading all of it will take."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator, Sequence

from graders.batch import TrajectoryBatch
from graders.check import BaseCheck
from graders.families.judged import judged_checks
from graders.grading import grade
from graders.scope import CheckEntry, concerned_rows
from graders.tally import Tally
from pipeline import files
from pipeline.errors import invalid, nearest
from pipeline.lint.finding import Finding
from pipeline.plurals import counted
from pipeline.sources.inputs import InputFile, find_inputs, known_rows, read_pieces
from pipeline.sources.records import ColumnMap, Piece, ReadPlan
from pipeline.specs.loaded import LoadedSpec, entries_of, references_of

_MOST_SAMPLE_IDS = 10_000  # For hints; more are not kept.
_FEWEST_PASSED = 30  # By the rule of three, one that fails a tenth of all runs would hardly pass these.
_ADVICE = {
    "MISSING_DATA": "the records lack what it reads",
    "SETUP_INVALID": "the reference does not give what it needs",
    "NO_EVIDENCE": "nothing was there to judge",
    "RUN_ERROR": "the runs never happened",
    "TIMEOUT": "its patterns are too slow",
}


@dataclasses.dataclass(frozen=True)
class Sample:
    """What a sample showed.

    Attributes:
        findings: what was found.
        rows: trajectories in the sample.
        seconds: how long reading and grading them took, without judges.
        judge_calls: how many calls of models their judged checks would take at most.
        total_rows: trajectories in all the data, known or by their share of the bytes.
        is_exact: whether that is known.
    """

    findings: list[Finding]
    rows: int
    seconds: float
    judge_calls: int
    total_rows: int
    is_exact: bool

    @property
    def estimate(self) -> str:
        """What the whole job will take in one process, in words."""
        if not self.rows:
            return "no trajectory could be read"
        factor = self.total_rows / self.rows
        about = "" if self.is_exact else "about "
        calls = (
            f"at most {counted(round(self.judge_calls * factor), 'judge call')}"
            if self.judge_calls
            else "no judge calls"
        )
        return (
            f"{self.rows:,} of {about}{counted(self.total_rows, 'trajectory')} took {self.seconds:.1f} s;"
            f" all will take about {self.seconds * factor:,.0f} s in one process, and {calls}"
        )


def lint_sample(
    specs: Sequence[LoadedSpec], patterns: Sequence[str], columns: ColumnMap, most: int
) -> Sample:
    """Grade the first trajectories of some data by all checks that need no model.

    Args:
        specs: the specs.
        patterns: files, directories or globs.
        columns: the columns of the files.
        most: how many trajectories to look at; the batch that reaches it is finished.

    Raises:
        InvalidError: a pattern matches nothing, or a file cannot be read as trajectories.
    """
    entries = entries_of(specs)
    needs = frozenset[str]().union(*(entry.needs for entry in entries))
    inputs = find_inputs(patterns, columns, needs)
    references = references_of(specs)
    looked_at = _LookedAt(entries)
    reading = _Reading(inputs, ReadPlan(needs, columns, references))
    began = time.monotonic()
    for piece in reading.pieces():
        for record_batch in piece.trajectories()[0]:
            looked_at.add(TrajectoryBatch(record_batch))
        if looked_at.rows >= most:
            break
    seconds = time.monotonic() - began
    places = {
        entry.spec_index: place
        for spec in specs
        for entry, place in zip(spec.entries, spec.dialect.places, strict=True)
    }
    total = known_rows(inputs)
    return Sample(
        [finding for entry in entries for finding in looked_at.findings(entry, places[entry.spec_index])],
        looked_at.rows,
        seconds,
        looked_at.judge_calls,
        round(looked_at.rows / (reading.share or 1)) if total is None else total,
        total is not None,
    )


class _Reading:
    """The pieces of some files, one after the other, and the share of all bytes that is read so far."""

    def __init__(self, inputs: Sequence[InputFile], plan: ReadPlan) -> None:
        self._inputs = inputs
        self._plan = plan
        self._total_bytes = sum(file.size_bytes for file in inputs)
        self._read_bytes = 0

    @property
    def share(self) -> float:
        return min(1.0, self._read_bytes / self._total_bytes) if self._total_bytes else 1.0

    def pieces(self) -> Iterator[Piece]:
        finished = 0
        for source in self._inputs:
            for item in source.items:
                try:
                    with files.open_read(item.path) as file:
                        for piece in read_pieces(item, file, self._plan):
                            self._read_bytes = finished + file.tell()
                            yield piece
                except GeneratorExit:
                    raise
                except Exception as error:  # Damage shows in as many ways as there are codecs.
                    raise invalid(item.path, " ".join(f"cannot be read: {error}".split())) from error
            finished += source.size_bytes
            self._read_bytes = finished


class _LookedAt:
    """What was seen of a sample, batch by batch."""

    def __init__(self, entries: Sequence[CheckEntry]) -> None:
        self.rows = 0
        self.judge_calls = 0
        self._calls = {entry.spec_index: _calls_per_trajectory(entry.check) for entry in entries}
        self._graded = [entry for entry in entries if not self._calls[entry.spec_index]]
        self._judged = [entry for entry in entries if self._calls[entry.spec_index]]
        self._tallies: dict[int, Tally] = {entry.spec_index: Tally() for entry in self._graded}
        self._concerned = dict.fromkeys((entry.spec_index for entry in entries), 0)
        self._tools: set[str] = set()
        self._sample_ids: set[str] = set()

    def add(self, batch: TrajectoryBatch) -> None:
        for graded in grade(self._graded, batch):
            index = graded.entry.spec_index
            self._tallies[index] = self._tallies[index].merge(graded.tally())
            self._concerned[index] += len(batch) if graded.rows is None else len(graded.rows)
        for entry in self._judged:
            rows = concerned_rows(entry, batch)
            count = len(batch) if rows is None else len(rows)
            self._concerned[entry.spec_index] += count
            self.judge_calls += count * self._calls[entry.spec_index]
        if batch.events.has_column("tool_name"):
            self._tools |= {name for name in batch.events.codes("tool_name")[0] if name}
        if len(self._sample_ids) < _MOST_SAMPLE_IDS:
            self._sample_ids |= {sample for sample in batch.column("sample_id").to_pylist() if sample}
        self.rows += len(batch)

    def findings(self, entry: CheckEntry, place: str) -> Iterator[Finding]:
        if not self._concerned[entry.spec_index]:
            hint = nearest(entry.samples[0], self._sample_ids) if entry.samples else ""
            message = f"no trajectory has such a sample or such tags{hint}; check their spelling"
            yield Finding(place, "concerns-none", message)
        if entry.spec_index not in self._tallies:
            return
        tally = self._tallies[entry.spec_index]
        for bit, tool in enumerate(entry.check.listed_tools()):
            if not tally.seen_tools >> bit & 1:
                hint = nearest(tool.text, self._tools)
                message = f"no trajectory used {tool.text!r}{hint}; check the spelling"
                yield Finding(place, "unknown-tool", message)
        yield from _judge(tally, place)


def _judge(tally: Tally, place: str) -> Iterator[Finding]:
    if tally.total >= _FEWEST_PASSED and tally.passed == tally.total:
        message = f"passed on all {tally.total:,}; ask for more, or drop it"
        yield Finding(place, "always-passes", message)
    elif tally.total and not tally.passed and not tally.failed:
        reasons = tally.abstain_reasons()
        counts = ", ".join(itertools.starmap("{} {}".format, reasons.items()))
        advice = "; ".join(_ADVICE[code] for code in reasons if code in _ADVICE)
        message = f"abstained on all {tally.total:,}: {counts}{f' ({advice})' if advice else ''}"
        yield Finding(place, "always-abstains", message)


def _calls_per_trajectory(check: BaseCheck) -> int:
    """How many calls of models a check takes for one trajectory at most."""
    return sum(len(judged.wanted_judges()) for judged in judged_checks(check))
