"""Running a pipeline to its end, with what goes wrong told as errors of ours."""

from __future__ import annotations

import contextlib
from typing import Any

import apache_beam as beam

from pipeline.errors import RunError, invalid
from pipeline.local_workers import watched_workers
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


def execute(pipeline: beam.Pipeline, setup: RunnerSetup) -> None:
    """Run a pipeline, which `setup` opened, until it has finished.

    Raises:
        RunError: it failed, or ended in some other way.
        KeyboardInterrupt: a signal ended it; no job of it goes on.
    """
    try:
        with watched_workers() if setup.is_local else contextlib.nullcontext():
            state = _wait(pipeline.run())
    except RunError:
        raise
    except Exception as error:
        raise RunError(f"the pipeline failed: {_last_line(error)}") from error
    if state not in (None, "DONE"):
        raise RunError(f"the pipeline ended as {state}")


def _wait(result: Any) -> str | None:
    """Wait for a pipeline; the state in which it ended."""
    try:
        return result.wait_until_finish()
    except BaseException:
        with contextlib.suppress(Exception):  # A job that has ended cannot be cancelled.
            result.cancel()  # A cluster would go on, and write where nobody looks any more.
        raise


def _last_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(error).__name__
