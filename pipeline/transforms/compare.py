"""Comparing the verdicts of two runs: a join by trajectory and check, in shares of the keys."""

import os
import typing
import uuid
from collections.abc import Mapping, Sequence

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graders.arrays import replace_surrogates
from graders.scores import TrajectoryOutcome
from graders.transitions import KEYED_SCHEMA, State, Transitions, match, pair_texts
from pipeline import files
from pipeline.outputs.changes import CHANGES_SCHEMA, LISTED, changes_name, sort_changes
from pipeline.outputs.comparison import ALL
from pipeline.transforms.coders import from_ipc, to_ipc
from pipeline.transforms.shares import shares_of
from pipeline.transforms.tabulate import COUNTED, Tabulate

_STATES = pa.array([state.label for state in State])
_OUTCOMES = pa.array([outcome.label for outcome in TrajectoryOutcome])  # In order of the states they are.
_BASE, _RUN = 0, 1
_NEWLY = ((State.PASS, State.FAIL), (State.FAIL, State.PASS))


class ComparedTables(typing.NamedTuple):
    """The tables of verdicts and trajectories of one run.

    Attributes:
        verdicts: files of the verdict table.
        checks: spec index: number of the check in the comparison; others are not compared.
        trajectories: files of the trajectory table.
        specs: position of each spec: number of its trajectories, beyond those of the checks.
    """

    verdicts: Sequence[str]
    checks: Mapping[int, int]
    trajectories: Sequence[str]
    specs: Mapping[int, int]


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
        transitions: PCollection of (`ComparedCell`, `Transitions`), one per cell that occurs; the values of
            a slice beyond the cap are one cell of each check, `OTHER`.
        changes: PCollection of `WrittenChanges`.
    """

    transitions: beam.PCollection
    changes: beam.PCollection


class CompareVerdicts(beam.PTransform):
    """Pair the verdicts and trajectories of two runs, and count what became of what, per slice too.

    Goes in: nothing (it begins a pipeline). Comes out: `ComparedVerdicts`. Verdicts travel as
    compressed columns in shares of the keys; how many shares there are, and what is in each, the
    data decides and not the workers. The trajectories that newly fail or newly pass under a check
    are written, a file per share that has any, sorted: each is the same whoever writes it, so that
    a retry replaces it with itself.
    """

    def __init__(
        self,
        base: ComparedTables,
        run: ComparedTables,
        *,
        checks: Sequence[tuple[str, str | None]],
        slices: Sequence[str] = (),
        most: int = 1000,
        shares: int,
        directory: str,
    ):
        """Plan the comparison.

        Args:
            base: the tables to compare with.
            run: the tables that are compared.
            checks: type and name of each check, by its number.
            slices: slice keys, which the trajectories of both have.
            most: how many values of a slice are kept apart.
            shares: how many shares; one serves some hundred thousand verdicts.
            directory: where the files of changes go.
        """
        super().__init__()
        tables = {_BASE: base, _RUN: run}
        here = os.getcwd()
        self._files = [
            (side, files.absolute(path, here), of_verdicts)
            for side, table in tables.items()
            for paths, of_verdicts in ((table.verdicts, True), (table.trajectories, False))
            for path in paths
        ]
        self._pack = _Pack(tables, tuple(slices), shares)
        self._compare = _Compare(checks, tuple(slices), most, shares, directory)
        self._most = most

    def expand(self, pbegin):
        # One collection of both sides: a CoGroupByKey would flatten two, and a local runner hold them twice.
        compared = (
            pbegin
            | "Files" >> beam.Create(self._files, reshuffle=False)
            | "Split" >> beam.ParDo(_Split())
            | "Spread" >> beam.Reshuffle()
            | "Pack" >> beam.ParDo(self._pack)
            | "Join" >> beam.GroupByKey()
            | "Compare" >> beam.ParDo(self._compare).with_outputs("changes", main="counts")
        )
        tabulated = compared.counts | "Tabulate" >> Tabulate(self._most)
        return ComparedVerdicts(tabulated | "Cells" >> beam.FlatMapTuple(_cells), compared.changes)


def _cells(key, count):
    if isinstance(count, Transitions):
        yield key, count
        return
    for value, numbers in count.by_value():
        yield (*key, value), Transitions.from_counts(numbers)


@beam.typehints.with_output_types(tuple[int, str, bool, int])
class _Split(beam.DoFn):
    """A file to its row groups."""

    def process(self, element: tuple[int, str, bool]):
        side, path, of_verdicts = element
        with files.open_read(path) as file:
            for row_group in range(pq.read_metadata(file).num_row_groups):
                yield side, path, of_verdicts, row_group


@beam.typehints.with_output_types(tuple[int, tuple[int, bytes]])
class _Pack(beam.DoFn):
    """A row group to columns of keys and outcomes, by share."""

    def __init__(self, tables, slices, shares):
        self._tables = tables
        self._slices = slices
        self._shares = shares

    def process(self, element: tuple[int, str, bool, int]):
        side, path, of_verdicts, row_group = element
        with files.open_read(path) as file:
            group = pq.ParquetFile(file).read_row_group
            if of_verdicts:
                rows = group(row_group, [*_IDENTITY, "spec_index", "outcome"])
                rows = self._keyed(rows, "spec_index", self._tables[side].checks, _STATES)
            else:
                rows = group(row_group, [*_IDENTITY, "spec", "outcome", "slices"])
                rows = self._keyed(rows, "spec", self._tables[side].specs, _OUTCOMES)
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

    def _keyed(self, rows, column, numbered, outcomes):
        """The rows of `_schema` whose checks or specs are compared."""
        coded = rows[column].combine_chunks().dictionary_encode()
        numbers = pa.array(map(numbered.get, coded.dictionary.to_pylist()), pa.int32())
        keyed = pa.table(
            [
                *(rows[name] for name in _IDENTITY),
                numbers.take(coded.indices),
                pc.index_in(rows["outcome"], outcomes).cast(pa.int8()),
                *(self._slice(rows, key) for key in self._slices),
            ],
            schema=_schema(self._slices),
        )
        return keyed.filter(keyed["check"].is_valid()) if numbers.null_count else keyed

    def _slice(self, rows, key):
        """The slice values of trajectories, once each: in the rows of the first spec."""
        if "slices" not in rows.column_names:
            return pa.nulls(len(rows), pa.string())
        return pc.if_else(
            pc.equal(rows["spec"], 0), pc.map_lookup(rows["slices"], pa.scalar(key), "first"), None
        )


_IDENTITY = ("trajectory_id", "sample_id", "trial")


def _schema(slices):
    """Of what is packed: keys and outcomes, and the slice values of trajectories by number of the key."""
    fields = [pa.field(f"slice{number}", pa.string()) for number, _ in enumerate(slices)]
    return pa.schema([*KEYED_SCHEMA, *fields])


def _share_of(rows, shares):
    """The share of each row: a hash of its key without the check, the same on every machine."""
    texts = pair_texts(rows).combine_chunks().dictionary_encode()
    of_text = shares_of(texts.dictionary, shares)
    return (of_text[texts.indices.to_numpy()] + pc.fill_null(rows["trial"], 0).to_numpy()) % shares


def _pack(rows):
    (batch,) = rows.combine_chunks().to_batches()
    return to_ipc(batch, "zstd")


def _unpack(packs, schema):
    return pa.Table.from_batches([from_ipc(pack) for pack in packs], schema)


@beam.typehints.with_output_types(COUNTED, changes=WrittenChanges)
class _Compare(beam.DoFn):
    """A share of both runs to transitions and changes."""

    def __init__(self, checks, slices, most, shares, directory):
        self._types = [check_type for check_type, _ in checks]
        self._names = [None if name is None else replace_surrogates(name) for _, name in checks]
        self._slices = slices
        self._most = most
        self._shares = shares
        self._directory = directory

    def process(self, element):
        share, packs = element
        packs, schema = list(packs), _schema(self._slices)
        base, run = (_unpack((pack for at, pack in packs if at == side), schema) for side in (_BASE, _RUN))
        matched = match(base, run)
        for check, transitions in matched.tallies():
            yield (check, *ALL), transitions
        for number, key in enumerate(self._slices):
            sliced = matched.slice_values(base[f"slice{number}"], run[f"slice{number}"])
            for check, counts in matched.slice_tallies(sliced, self._most):
                yield (check, key), counts
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
            keys = keys[matched.check[keys] < len(self._types)]  # Not what specs say of trajectories.
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
