"""How each runner is set up."""

import argparse
import dataclasses
import gc
import os
from collections.abc import Sequence
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

from pipeline.errors import InvalidError, Problem, nearest
from pipeline.sources.inputs import InputFile

# Below this, starting worker processes costs more than they save.
_BYTES_FOR_PROCESSES = 512 * 1024 * 1024


@dataclasses.dataclass(frozen=True)
class RunnerSetup:
    """A runner that is ready.

    Attributes:
        label: what it is, for the manifest.
        runner: the runner, or its name.
        options: Beam's options.
        is_local: whether its workers see this machine's files.
    """

    label: str
    runner: Any
    options: PipelineOptions
    is_local: bool

    def pipeline(self) -> beam.Pipeline:
        """A pipeline on this runner."""
        if self.is_local:
            gc.freeze()  # What is imported by now stays; no collection need look at it again.
        return beam.Pipeline(runner=self.runner, options=self.options)


def set_up_runner(options: dict[str, Any], workers: int | None, inputs: Sequence[InputFile]) -> RunnerSetup:
    """Set up the runner that the options name; the local one if they name none.

    The local runner is named exactly, since Beam's DirectRunner may download another one: one
    process for small inputs, else worker processes, as many as there are cores.

    Raises:
        InvalidError: an option that no runner knows.
    """
    flags = _flags(options)
    _refuse_unknown(flags)
    parsed = PipelineOptions(flags)
    name = options.get("runner")
    if name not in (None, "FnApiRunner"):
        return RunnerSetup(str(name), name, parsed, is_local=False)
    if workers is None:
        size = sum(file.size_bytes for file in inputs)
        items = sum(len(file.items) for file in inputs)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        workers = max(1, min(cores, items)) if size >= _BYTES_FOR_PROCESSES else 1
    direct = parsed.view_as(DirectOptions)
    direct.direct_num_workers = workers
    direct.direct_running_mode = "multi_processing" if workers > 1 else "in_memory"
    return RunnerSetup(f"local, {workers} worker(s)", FnApiRunner(), parsed, is_local=True)


def _flags(options: dict[str, Any]) -> list[str]:
    """Options by name as flags: true is the bare flag, a list repeats it."""
    flags: list[str] = []
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            if item is True:
                flags.append(f"--{name}")
            elif item is not False and item is not None:
                flags.append(f"--{name}={item}")
    return flags


def _refuse_unknown(flags: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for group in PipelineOptions.__subclasses__():
        add = getattr(group, "_add_argparse_args", None)
        if add is not None:
            try:
                add(parser)
            except argparse.ArgumentError:
                continue  # Two groups of Beam share a flag.
    known = {flag.removeprefix("--") for action in parser._actions for flag in action.option_strings}  # noqa: SLF001  (no public list)
    names = [flag.removeprefix("--").split("=", 1)[0] for flag in flags]
    problems = [
        Problem(f"--{name}", "", f"no runner has this option{nearest(name, known)}")
        for name in names
        if name not in known
    ]
    if problems:
        raise InvalidError(problems)
