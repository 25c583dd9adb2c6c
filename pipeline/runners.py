"""How each runner is set up, and what it must be told before anything is graded."""

import argparse
import dataclasses
import gc
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import (
    DirectOptions,
    FlinkRunnerOptions,
    GoogleCloudOptions,
    PipelineOptions,
    PortableOptions,
    SetupOptions,
    WorkerOptions,
)
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from pipeline import files
from pipeline.errors import InvalidError, Problem, nearest
from pipeline.plurals import counted
from pipeline.sources.inputs import InputFile

LOCAL, PRISM, FLINK, PORTABLE, DATAFLOW = RUNNERS = (
    "FnApiRunner",
    "PrismRunner",
    "FlinkRunner",
    "PortableRunner",
    "DataflowRunner",
)
"""The runners that gradebeam is made for; the first one is the default and runs on this machine."""

# Runners that a user may well name, and what to do instead.
_INSTEAD = {
    "DirectRunner": "it may download another runner; leave the runner out to grade on this machine",
    "SwitchingDirectRunner": "it may download another runner; leave the runner out to grade on this machine",
    "BundleBasedDirectRunner": "leave the runner out to grade on this machine",
    "DaskRunner": "it was seen to lose outputs without an error",
    "SparkRunner": "use PortableRunner with the job_endpoint of a Spark job server",
}

# What Flink's job server takes beyond what Beam's Python knows.
_FLINK_OPTIONS = frozenset(
    [
        "allow_non_restored_state",
        "attached_mode",
        "auto_watermark_interval",
        "checkpoint_timeout_millis",
        "checkpointing_interval",
        "checkpointing_mode",
        "disable_metrics",
        "environment_cache_millis",
        "environment_expiration_millis",
        "execution_mode_for_batch",
        "execution_retry_delay",
        "externalized_checkpoints_enabled",
        "fail_on_checkpointing_errors",
        "faster_copy",
        "files_to_stage",
        "finish_bundle_before_checkpointing",
        "flink_conf_dir",
        "job_check_interval_in_secs",
        "latency_tracking_interval",
        "load_balance_bundles",
        "max_bundle_size",
        "max_bundle_time_mills",
        "min_pause_between_checkpoints",
        "num_concurrent_checkpoints",
        "number_of_execution_retries",
        "object_reuse",
        "operator_chaining",
        "re_iterable_group_by_key_result",
        "retain_externalized_checkpoints_on_cancellation",
        "savepoint_path",
        "state_backend",
        "state_backend_storage_path",
        "use_data_stream_for_batch",
    ]
)

_WORKER = "pipeline.worker"

# Below this, starting worker processes costs more than they save.
_BYTES_FOR_PROCESSES = 512 * 1024 * 1024
# A worker reads in threads while it grades: on two cores, two workers were no faster than one.
_CORES_PER_WORKER = 2


@dataclasses.dataclass(frozen=True)
class RunnerSetup:
    """A runner that is ready.

    Attributes:
        label: what it is, for the manifest.
        runner: the runner, or its name.
        options: Beam's options.
        is_local: whether it grades here, in this process or in workers that it starts.
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


def set_up_runner(
    runner: dict[str, Any],
    workers: int | None,
    inputs: Sequence[InputFile],
    *,
    output: str | None,
    allowed: str | None = None,
) -> RunnerSetup:
    """Set up the runner that the options name; the local one if they name none.

    The local runner is named exactly, since Beam's DirectRunner may download another one: one
    process for small inputs or up to three cores, else a worker process for every two cores.

    Args:
        runner: options of the runner by name, its own name among them as `runner`.
        workers: local worker processes; None by size.
        inputs: what will be read.
        output: where will be written; None for nowhere that workers see.
        allowed: the name of another runner that may be used too.

    Raises:
        InvalidError: the runner is not one of `RUNNERS` and not allowed, an option is one that no
            runner knows, or the job cannot work on the runner.
    """
    name = _runner_name(runner, allowed)
    flags = _flags(runner)
    _refuse_unknown(flags, _FLINK_OPTIONS if name in (FLINK, PORTABLE) else frozenset())
    options = PipelineOptions(flags)
    if name == LOCAL:
        return _set_up_local(options, workers, inputs)
    paths = [*([output] if output else []), *(file.path for file in inputs)]
    problems = [
        *_of_workers(name, workers),
        *_of_paths(name, options, paths),
        *_of_packages(name, options),
        *_of_templates(name, options),
    ]
    if problems:
        raise InvalidError(problems)
    return RunnerSetup(name, name, options, is_local=False)


def _runner_name(runner: dict[str, Any], allowed: str | None) -> str:
    """The runner's name as `RUNNERS` spells it, or the name of another one that is allowed."""
    given = str(runner.get("runner") or LOCAL)
    short = given.rpartition(".")[2]
    for name in RUNNERS:
        if short.casefold() in (name.casefold(), name.removesuffix("Runner").casefold()):
            return name
    if given == allowed:
        return given
    instead = _INSTEAD.get(short, f"expected one of {', '.join(RUNNERS)}{nearest(short, RUNNERS)}")
    message = f"gradebeam is not tested on it: {instead}; --allow-runner {given} uses it all the same"
    raise InvalidError([Problem(f"--runner {given}", "", message)])


def _set_up_local(options: PipelineOptions, workers: int | None, inputs: Sequence[InputFile]) -> RunnerSetup:
    if workers is None:
        size = sum(file.size_bytes for file in inputs)
        items = sum(len(file.items) for file in inputs)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        workers = max(1, min(cores // _CORES_PER_WORKER, items)) if size >= _BYTES_FOR_PROCESSES else 1
    direct = options.view_as(DirectOptions)
    direct.direct_num_workers = workers
    label = f"local, {counted(workers, 'worker')}"
    if workers == 1:
        return RunnerSetup(label, FnApiRunner(), options, is_local=True)
    # None of Beam's own modes, which would start its workers instead of ours.
    direct.direct_running_mode = "worker processes"
    command = f"{shlex.quote(sys.executable)} -m {_WORKER}"
    environment = SubprocessSDKEnvironment.from_command_string(command)  # pyright: ignore[reportFunctionMemberAccess]  (what registers it hides the class)
    return RunnerSetup(label, FnApiRunner(environment), options, is_local=True)


def _of_workers(name: str, workers: int | None) -> list[Problem]:
    if workers is None:
        return []
    instead = "num_workers and max_num_workers" if name == DATAFLOW else "parallelism, and the worker pools"
    return [Problem("--workers", "", f"only for worker processes on this machine; with {name} use {instead}")]


def _of_paths(name: str, options: PipelineOptions, paths: Sequence[str]) -> list[Problem]:
    """Local paths that workers in another place cannot reach."""
    if name == DATAFLOW:
        where = "the workers run in Google's cloud, which sees no files of this machine; use gs:// or s3://"
    elif _is_in_containers(name, options):
        where = (
            "the workers run in containers (environment_type DOCKER), which see no files of this machine; use"
            " gs:// or s3://, or environment_type EXTERNAL with a worker pool that sees the same files"
        )
    else:
        return []
    local = [path for path in paths if not files.is_remote(path)]
    return [Problem(path, "", f"a local path, but {where}") for path in local[:10]]


def _is_in_containers(name: str, options: PipelineOptions) -> bool:
    environment = options.view_as(PortableOptions).environment_type
    if environment:
        return environment.upper() in ("DOCKER", "BEAM:ENV:DOCKER:V1")
    if name == FLINK:  # Its default is a Flink inside of the job server, with the workers here.
        return options.view_as(FlinkRunnerOptions).flink_master not in ("[local]", "[auto]")
    return name == PORTABLE


def _of_packages(name: str, options: PipelineOptions) -> list[Problem]:
    """What Dataflow's workers would lack: their own image has Beam, but not gradebeam."""
    if name != DATAFLOW:
        return []
    setup = options.view_as(SetupOptions)
    packages = setup.extra_packages, setup.setup_file, setup.requirements_file
    if options.view_as(WorkerOptions).sdk_container_image or any(packages):
        return []
    message = (
        "the workers would not have gradebeam; give sdk_container_image (scripts/images builds one) or"
        " extra_package (a wheel of gradebeam)"
    )
    return [Problem("--runner DataflowRunner", "", message)]


def _of_templates(name: str, options: PipelineOptions) -> list[Problem]:
    """A template of Dataflow, of which nobody would commit what comes out."""
    if name != DATAFLOW or not options.view_as(GoogleCloudOptions).template_location:
        return []
    message = (
        "a run is committed by the process that started it, which must wait for it; start the run itself"
    )
    return [Problem("--template_location", "", message)]


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


def _refuse_unknown(flags: Sequence[str], others: frozenset[str]) -> None:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for group in PipelineOptions.__subclasses__():
        add = getattr(group, "_add_argparse_args", None)
        if add is not None:
            try:
                add(parser)
            except argparse.ArgumentError:
                continue  # Two groups of Beam share a flag.
    strings = (flag for action in parser._actions for flag in action.option_strings)  # noqa: SLF001  (no public list)
    known = {flag.removeprefix("--") for flag in strings} | others
    names = [flag.removeprefix("--").split("=", 1)[0] for flag in flags]
    problems = [
        Problem(f"--{name}", "", f"no runner has this option{nearest(name, known)}")
        for name in names
        if name not in known
    ]
    if problems:
        raise InvalidError(problems)
