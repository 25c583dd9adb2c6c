"""Comparing the verdicts of two runs: a join by trajectory and check, in shares of the keys."""

import os
import typing
import uuid
from collections.abc import Iterable, Mapping, Sequence

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graders.arrays import replace_surrogates
from graders.transitions import KEYED_SCHEMA, State, Transitions, match, pair_texts
from pipeline import files
from pipeline.outputs.changes import CHANGES_SCHEMA, LISTED, changes_name, sort_changes
from pipeline.outputs.comparison import ALL, CellKey
from pipeline.transforms.coders import from_ipc, to_ipc
from pipeline.transforms.shares import shares_of

_STATES = pa.array([state.label for state in State])
_BASE, _RUN = 0, 1
_NEWLY = ((State.PASS, State.FAIL), (State.FAIL, State.PASS))


class VerdictTable(typing.NamedTuple):
    """The verdict table of one run.

    Attributes:
        paths: its files.
        checks: spec index: number of the check in the comparison; others are not compared.
    """

    paths: Sequence[str]
    checks: Mapping[int, int]


class WrittenChanges(typing.NamedTuple):
    """A file with changes.

    Attributes:
        name: its name below the directory.
        rows: its rows.
        first: the first hundred of them, as JSON-like objects.
    """

    name: str
    rows: int
    first: list[dict[str, typing.Any]]


class ComparedVerdicts(typing.NamedTuple):
    """What `CompareVerdicts` gives.

    Attributes:
        transitions: PCollection of (`CellKey`, `Transitions`), one per cell that occurs.
        changes: PCollection of `WrittenChanges`.
    """

    transitions: beam.PCollection
    changes: beam.PCollection


class CompareVerdicts(beam.PTransform):
    """Pair the verdicts of two runs, and count what became of what.

    Goes in: nothing (it begins a pipeline). Comes out: `ComparedVerdicts`. Verdicts travel as
    compressed columns in shares of the keys; how many shares there are, and what is in each, the
    data decides and not the workers. The trajectories that newly fail or newly pass under a check
    are written, a file per share that has any, sorted: each is the same whoever writes it, so that
    a retry replaces it with itself.
    """

    def __init__(
        self,
        base: VerdictTable,
        run: VerdictTable,
        *,
        checks: Sequence[tuple[str, str | None]],
        shares: int,
        directory: str,
    ):
        """Plan the comparison.

        Args:
            base: the table to compare with.
            run: the table that is compared.
            checks: type and name of each check, by its number.
            shares: how many shares; one serves some hundred thousand verdicts.
            directory: where the files of changes go.
        """
        super().__init__()
        tables = {_BASE: base, _RUN: run}
        here = os.getcwd()
        self._files = [
            (side, files.absolute(path, here)) for side, table in tables.items() for path in table.paths
        ]
        self._pack = _Pack({side: dict(table.checks) for side, table in tables.items()}, shares)
        self._compare = _Compare(checks, shares, directory)

    def expand(self, pbegin):
        # One collection of both sides: a CoGroupByKey would flatten two, and a local runner hold them twice.
        compared = (
            pbegin
            | "Files" >> beam.Create(self._files, reshuffle=False)
            | "Split" >> beam.ParDo(_Split())
            | "Spread" >> beam.Reshuffle()
            | "Pack" >> beam.ParDo(self._pack)
            | "Join" >> beam.GroupByKey()
            | "Compare" >> beam.ParDo(self._compare).with_outputs("changes", main="transitions")
        )
        transitions = compared.transitions | "MergeTransitions" >> beam.CombinePerKey(
            _merge_transitions
        ).with_output_types(tuple[CellKey, Transitions])
        return ComparedVerdicts(transitions, compared.changes)


def _merge_transitions(parts: Iterable[Transitions]) -> Transitions:
    merged = Transitions()
    for part in parts:
        merged = merged.merge(part)
    return merged


@beam.typehints.with_output_types(tuple[int, str, int])
class _Split(beam.DoFn):
    """A file to its row groups."""

    def process(self, element: tuple[int, str]):
        side, path = element
        with files.open_read(path) as file:
            for row_group in range(pq.read_metadata(file).num_row_groups):
                yield side, path, row_group


@beam.typehints.with_output_types(tuple[int, tuple[int, bytes]])
class _Pack(beam.DoFn):
    """A row group to columns of keys and outcomes, by share."""

    def __init__(self, checks, shares):
        self._checks = checks
        self._shares = shares

    def process(self, element: tuple[int, str, int]):
        side, path, row_group = element
        with files.open_read(path) as file:
            columns = ["trajectory_id", "sample_id", "trial", "spec_index", "outcome"]
            rows = self._keyed(side, pq.ParquetFile(file).read_row_group(row_group, columns))
        if not len(rows):
            return
        if self._shares == 1:
            yield 0, (side, _pack(rows))
            return
        share = _share_of(rows, self._shares)
        order = np.argsort(share, kind="stable")
        rows, ends = rows.take(order), np.cumsum(np.bincount(share, minlength=self._shares))
        start = 0
        for number, end in enumerate(ends.tolist()):
            if end > start:
                yield number, (side, _pack(rows.slice(start, end - start)))
            start = end

    def _keyed(self, side, rows):
        """The rows of `KEYED_SCHEMA` whose checks are compared."""
        spec_indexes = rows["spec_index"].combine_chunks().dictionary_encode()
        numbers = pa.array(map(self._checks[side].get, spec_indexes.dictionary.to_pylist()), pa.int32())
        keyed = pa.table(
            [
                rows["trajectory_id"],
                rows["sample_id"],
                rows["trial"],
                numbers.take(spec_indexes.indices),
                pc.index_in(rows["outcome"], _STATES).cast(pa.int8()),
            ],
            schema=KEYED_SCHEMA,
        )
        return keyed.filter(keyed["check"].is_valid()) if numbers.null_count else keyed


def _share_of(rows, shares):
    """The share of each row: a hash of its key without the check, the same on every machine."""
    texts = pair_texts(rows).combine_chunks().dictionary_encode()
    of_text = shares_of(texts.dictionary, shares)
    return (of_text[texts.indices.to_numpy()] + pc.fill_null(rows["trial"], 0).to_numpy()) % shares


def _pack(rows):
    (batch,) = rows.combine_chunks().to_batches()
    return to_ipc(batch, "zstd")


def _unpack(packs):
    return pa.Table.from_batches([from_ipc(pack) for pack in packs], KEYED_SCHEMA)


@beam.typehints.with_output_types(tuple[CellKey, Transitions], changes=WrittenChanges)
class _Compare(beam.DoFn):
    """A share of both runs to transitions and changes."""

    def __init__(self, checks, shares, directory):
        self._types = [check_type for check_type, _ in checks]
        self._names = [None if name is None else replace_surrogates(name) for _, name in checks]
        self._shares = shares
        self._directory = directory

    def process(self, element):
        share, packs = element
        packs = list(packs)
        base, run = (_unpack(pack for at, pack in packs if at == side) for side in (_BASE, _RUN))
        matched = match(base, run)
        for check, transitions in matched.tallies():
            yield (check, *ALL), transitions
        changes = sort_changes(pa.concat_tables(self._changes(matched, base, run)))
        if len(changes):
            name = changes_name(share, self._shares)
            draft = files.join(self._directory, f"{uuid.uuid4().hex}.part")
            with files.open_write(draft) as file:
                pq.write_table(changes, file, compression="zstd")
            files.rename(draft, files.join(self._directory, name))
            first = changes.slice(0, LISTED).to_pylist()
            yield beam.pvalue.TaggedOutput("changes", WrittenChanges(name, len(changes), first))

    def _changes(self, matched, base, run):
        """The keys that newly fail, then those that newly pass, as rows of `CHANGES_SCHEMA`."""
        for states in _NEWLY:
            keys = matched.changes(*states)
            check = pa.array(matched.check[keys], pa.int32())
            old, new = base.take(matched.base_row[keys]), run.take(matched.run_row[keys])
            yield pa.table(
                [
                    check,
                    pa.array(self._types, pa.string()).take(check),
                    pa.array(self._names, pa.string()).take(check),
                    *(pa.repeat(state.label, len(keys)) for state in states),
                    new["sample_id"],
                    new["trial"],
                    old["trajectory_id"],
                    new["trajectory_id"],
                ],
                schema=CHANGES_SCHEMA,
            )
