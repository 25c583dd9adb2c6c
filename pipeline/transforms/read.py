"""Reading trajectories: work items, spread over the workers, to batches of columns."""

import os
import typing
from collections.abc import Iterable, Mapping, Sequence

import apache_beam as beam

from graders.arrays import replace_surrogates
from graders.batch import TrajectoryBatch
from graders.scope import CheckEntry
from graders.slices import SliceKey
from pipeline import files
from pipeline.sources.inputs import InputFile, WorkItem, find_inputs, read_pieces, work_loads
from pipeline.sources.origin import with_part
from pipeline.sources.parquet import Footers
from pipeline.sources.records import ColumnMap, ReadPlan
from pipeline.transforms import coders  # noqa: F401  (registers the coder of TrajectoryBatch)
from pipeline.transforms.bundles import in_global_window
from pipeline.transforms.read_ahead import ReadAhead
from pipeline.transforms.small_batches import SmallBatches

BATCH_BYTES = 16 * 1024 * 1024


class QuarantinedRows(typing.NamedTuple):
    """Rows that could not be read.

    Attributes:
        file: where they are.
        row_group: the row group; -1 in a format without.
        row: the first of them, counted in the row group or the file.
        rows: how many; -1 where a file breaks off and only its writer knows.
        reason: why.
    """

    file: str
    row_group: int
    row: int
    rows: int
    reason: str


class ReadOutputs(typing.NamedTuple):
    """What `ReadTrajectories` gives.

    Attributes:
        trajectories: PCollection of `TrajectoryBatch`.
        quarantine: PCollection of `QuarantinedRows`.
    """

    trajectories: beam.PCollection
    quarantine: beam.PCollection


class ReadTrajectories(beam.PTransform):
    """Read trajectories from Parquet, Avro and JSON lines files into batches of about 16 MB of columns.

    Goes in: nothing (it begins a pipeline). Comes out: `ReadOutputs`. Rows that cannot be read
    go to its quarantine with file, row group, row and reason. The files are looked at when the
    transform is made, so that what is wrong with them is known before anything runs.
    """

    def __init__(  # noqa: PLR0913  (all but the first by keyword)
        self,
        patterns: Sequence[str] = (),
        *,
        entries: Iterable[CheckEntry],
        columns: ColumnMap | None = None,
        references: Mapping[str, str] | None = None,
        inputs: Sequence[InputFile] | None = None,
        batch_bytes: int = BATCH_BYTES,
        progress_file: str | None = None,
        slices: Sequence[SliceKey] = (),
    ):
        """Plan what to read.

        Args:
            patterns: files, directories or globs.
            entries: the checks that will see the trajectories; only what they need is read.
            columns: names of the files' columns, where they are not those of the record.
            references: reference data by sample id, as JSON text, for records that have none.
            inputs: the files, if `find_inputs` has found them already.
            batch_bytes: bound on the uncompressed size of a batch.
            progress_file: a local file to which each batch adds a line with its rows and their bytes.
            slices: by what the trajectories will be sliced; what that needs is read too.

        Raises:
            InvalidError: a pattern matches nothing, or a file cannot be read as trajectories.
        """
        super().__init__()
        columns = columns or ColumnMap()
        needs = frozenset().union(*(user.needs for user in (*entries, *slices)))
        self.inputs = find_inputs(patterns, columns, needs) if inputs is None else list(inputs)
        self._read = _ReadItem(ReadPlan(needs, columns, references or {}, batch_bytes), progress_file)

    def expand(self, pbegin):
        read = (
            pbegin
            | "WorkItems" >> beam.Create(work_loads(self.inputs), reshuffle=False)
            # Only names travel: the data is read where it is graded.
            | "Spread" >> beam.Reshuffle()
            | "Read" >> beam.ParDo(self._read).with_outputs("quarantine", main="trajectories")
        )
        return ReadOutputs(read.trajectories, read.quarantine)


@beam.typehints.with_output_types(TrajectoryBatch, quarantine=QuarantinedRows)
class _ReadItem(beam.DoFn):
    def __init__(self, plan, progress_file):
        self._plan = plan
        self._progress_file = progress_file
        self._directory = os.getcwd()
        self._rows_read = beam.metrics.Metrics.counter("gradebeam", "read_rows")
        self._rows_quarantined = beam.metrics.Metrics.counter("gradebeam", "quarantined_rows")

    def setup(self):
        self._ahead = ReadAhead(self._read_load)

    def start_bundle(self):
        self._ahead.close()  # A bundle that failed may have left something.
        self._ahead = ReadAhead(self._read_load)
        self._footers = Footers()
        self._small = SmallBatches(self._plan.batch_bytes)

    def process(self, load: tuple[WorkItem, ...]):
        for part in self._ahead.push(load):
            yield from self._outputs(part)

    def finish_bundle(self):
        for part in self._ahead.drain():
            for output in self._outputs(part):
                yield in_global_window(output)
        self._footers.drop()
        for batch in self._small.drain():
            yield in_global_window(TrajectoryBatch(batch))

    def teardown(self):
        self._ahead.close()

    def _outputs(self, part):
        item, piece, read_bytes = part
        if isinstance(piece, QuarantinedRows):
            yield beam.pvalue.TaggedOutput("quarantine", piece)
            self._rows_quarantined.inc(max(piece.rows, 0))
            self._report(max(piece.rows, 0), read_bytes)
            return
        batches, bad_rows = piece.trajectories()
        self._rows_quarantined.inc(len(bad_rows))
        for bad in bad_rows:
            yield beam.pvalue.TaggedOutput("quarantine", _quarantined(item, bad.row, 1, bad.reason))
        for batch in batches:
            yield from map(TrajectoryBatch, self._small.add(with_part(batch, item.hash)))
        self._report(piece.rows, read_bytes)

    def _read_load(self, load):
        """The pieces of a file's items, each with item and bytes; what cannot be read as quarantined."""
        left = list(load)
        try:
            with files.open_read(files.absolute(load[0].path, self._directory)) as file:
                while left:
                    yield from self._read_item(left.pop(0), file)
        except Exception as error:  # noqa: BLE001  (of whatever kind the file system raises)
            for item in left:
                yield item, _quarantined(item, 0, item.rows, _reason(error)), 0

    def _read_item(self, item, file):
        seen, at = 0, 0
        try:
            for piece in read_pieces(item, file, self._plan, self._footers):
                yield item, piece, file.tell() - at
                seen, at = seen + piece.rows, file.tell()
        except Exception as error:  # noqa: BLE001  (damage shows in as many ways as there are codecs)
            # Damaged after its footer: what was read counts, the rest is accounted for.
            rest = item.rows - seen if item.rows >= 0 else -1
            yield item, _quarantined(item, seen, rest, _reason(error)), 0

    def _report(self, rows, read_bytes):
        self._rows_read.inc(rows)
        if self._progress_file and rows:
            # One short line per append: whole, whatever other process writes too.
            out = os.open(self._progress_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(out, f"{rows} {read_bytes}\n".encode())
            os.close(out)


def _reason(error):
    return " ".join(str(error).split())


def _quarantined(item, row, rows, reason):
    texts = replace_surrogates(item.path), replace_surrogates(reason)
    return QuarantinedRows(texts[0], item.row_group, row, rows, texts[1])
