"""Running a pipeline to its end, with what goes wrong told as errors of ours."""

from __future__ import annotations

import apache_beam as beam

from pipeline.errors import RunError, invalid
from pipeline.runners import RunnerSetup


def open_pipeline(setup: RunnerSetup) -> beam.Pipeline:
    """An empty pipeline on a runner.

    Raises:
        InvalidError: the runner refuses its options.
    """
    try:
        return setup.pipeline()
    except Exception as error:  # Whatever a runner says of its options.
        raise invalid(f"--runner {setup.label}", _last_line(error)) from error


def execute(pipeline: beam.Pipeline) -> None:
    """Run a pipeline until it has finished.

    Raises:
        RunError: it failed, or ended in some other way.
    """
    try:
        state = pipeline.run().wait_until_finish()
    except Exception as error:
        raise RunError(f"the pipeline failed: {_last_line(error)}") from error
    if state not in (None, "DONE"):
        raise RunError(f"the pipeline ended as {state}")


def _last_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(error).__name__
