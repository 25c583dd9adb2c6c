"""A job made ready: what it names, looked at before anything is graded or written."""

import dataclasses
import datetime
import uuid
from collections.abc import Sequence

from graders.scope import CheckEntry
from pipeline.job import JobConfig
from pipeline.judging import check_judges
from pipeline.outputs.commit import check_output
from pipeline.runners import RunnerSetup, set_up_runner
from pipeline.sources.inputs import InputFile, find_inputs
from pipeline.specs.load import load_specs
from pipeline.specs.loaded import LoadedSpec, entries_of


@dataclasses.dataclass(frozen=True)
class PreparedJob:
    """A job with what it names.

    Attributes:
        job: the job; in its output directory the id of the run stands for `{run_id}`.
        run_id: the id of the run.
        specs: its specs.
        inputs: its files, found with the needs of all checks and slices.
        setup: its runner.
    """

    job: JobConfig
    run_id: str
    specs: Sequence[LoadedSpec]
    inputs: Sequence[InputFile]
    setup: RunnerSetup

    @property
    def entries(self) -> list[CheckEntry]:
        """The checks of all specs, in order."""
        return entries_of(self.specs)


def prepare(job: JobConfig) -> PreparedJob:
    """Look at the specs, the inputs, the output directory, the runner and the judges of a job.

    Raises:
        InvalidError: something is wrong with one of them.
    """
    specs = load_specs(job.spec, job.parameters)
    entries = entries_of(specs)
    needs = frozenset[str]().union(*(user.needs for user in (*entries, *job.slice_keys)))
    inputs = find_inputs(job.input, job.column_map, needs)
    run_id = job.run_id or new_run_id()
    job = job.model_copy(update={"output": job.output.replace("{run_id}", run_id)})
    check_output(job.output, inputs, job.input)
    setup = set_up_runner(job.runner, job.workers, inputs, output=job.output, allowed=job.allow_runner)
    check_judges(job, entries, is_local=setup.is_local)
    return PreparedJob(job, run_id, specs, inputs, setup)


def new_run_id() -> str:
    """An id that no other run has, and that sorts by time."""
    return f"{datetime.datetime.now(datetime.UTC):%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:8]}"
