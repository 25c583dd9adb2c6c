"""Which runners and options are taken, and what is refused before anything is graded."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from pipeline.errors import InvalidError
from pipeline.job import load_job
from pipeline.runners import RUNNERS, RunnerSetup, set_up_runner
from pipeline.sources.inputs import InputFile
from tests.golden_steps import STEPS, step_names

ROOT = pathlib.Path(__file__).parents[2]
DOCKER = {"environment_type": "DOCKER"}
POOL = {"environment_type": "EXTERNAL", "environment_config": "localhost:50000"}
IMAGE = {"sdk_container_image": "example/worker"}


def _set_up(settings: dict[str, Any], runner: dict[str, Any], file: str = "runs/a.parquet") -> RunnerSetup:
    values = {"output": "gs://bucket/out", "workers": None, **settings}
    return set_up_runner(runner, inputs=[InputFile(file, 1, ())], **values)


def _refusal(settings: dict[str, Any], runner: dict[str, Any], file: str = "runs/a.parquet") -> str:
    with pytest.raises(InvalidError) as caught:
        _set_up(settings, runner, file)
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("PrismRunner", "PrismRunner"),
        ("prism", "PrismRunner"),
        ("flinkrunner", "FlinkRunner"),
        ("apache_beam.runners.portability.portable_runner.PortableRunner", "PortableRunner"),
    ],
)
def test_a_runner_by_any_of_its_names(given: str, name: str) -> None:
    setup = _set_up({}, {"runner": given, **POOL})
    assert (setup.label, setup.runner, setup.is_local) == (name, name, False)


@pytest.mark.parametrize("given", [None, "FnApiRunner", "fnapi"])
def test_the_local_runner(given: str | None) -> None:
    setup = _set_up({"workers": 2}, {"runner": given})
    assert setup.is_local
    assert setup.label == "local, 2 workers"


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("DirectRunner", "leave the runner out"),
        ("apache_beam.runners.dask.dask_runner.DaskRunner", "lose outputs"),
        ("SparkRunner", "job_endpoint"),
        ("PrismRuner", "'PrismRunner'"),
    ],
)
def test_other_runners_are_refused_unless_allowed(given: str, hint: str) -> None:
    said = _refusal({}, {"runner": given})
    assert hint in said
    assert f"--allow-runner {given}" in said
    assert hint in _refusal({"allowed": "Another"}, {"runner": given})
    assert _set_up({"allowed": given}, {"runner": given}).runner == given


def test_unknown_options_are_refused_by_name() -> None:
    said = _refusal({}, {"runner": "FlinkRunner", "flink_mastre": "x", "paralelism": 2, **POOL})
    assert "--flink_mastre" in said
    assert "'flink_master'" in said
    assert "--paralelism" in said


def test_options_of_a_job_server_pass() -> None:
    option = {"number_of_execution_retries": 2}
    flags = _set_up({}, {"runner": "PortableRunner", **POOL, **option}).options._flags
    assert "--number_of_execution_retries=2" in flags
    assert "--number_of_execution_retries" in _refusal({}, {"runner": "PrismRunner", **option})


@pytest.mark.parametrize(
    ("runner", "is_refused"),
    [
        ({"runner": "DataflowRunner", **IMAGE}, True),
        ({"runner": "PortableRunner"}, True),  # Containers are Beam's default.
        ({"runner": "PortableRunner", **DOCKER}, True),
        ({"runner": "PortableRunner", **POOL}, False),
        ({"runner": "PrismRunner"}, False),
        ({"runner": "PrismRunner", **DOCKER}, True),
        ({"runner": "FlinkRunner", "flink_master": "[local]"}, False),
        ({"runner": "FlinkRunner", "flink_master": "host:8081"}, True),
    ],
)
def test_local_paths_that_workers_cannot_see(runner: dict[str, Any], is_refused: bool) -> None:
    remote = {"output": "s3://bucket/out"}, runner, "s3://bucket/runs/a.parquet"
    assert not _set_up(*remote).is_local
    local = {"output": "out"}, runner, "runs/a.parquet"
    if is_refused:
        said = _refusal(*local)
        assert "out: a local path" in said
        assert "runs/a.parquet: a local path" in said
    else:
        _set_up(*local)


def test_dataflow_needs_gradebeam_on_its_workers() -> None:
    remote = "gs://bucket/a.parquet"
    assert "sdk_container_image" in _refusal({}, {"runner": "DataflowRunner"}, remote)
    _set_up({}, {"runner": "DataflowRunner", "extra_package": "gradebeam.whl"}, remote)


def test_templates_of_dataflow_are_refused() -> None:
    template = {"runner": "DataflowRunner", **IMAGE, "template_location": "gs://bucket/template"}
    assert "--template_location" in _refusal({}, template, "gs://bucket/a.parquet")


def test_local_workers_are_no_workers_of_a_cluster() -> None:
    assert "parallelism" in _refusal({"workers": 2}, {"runner": "FlinkRunner", **POOL})
    assert "max_num_workers" in _refusal({"workers": 2}, {"runner": "DataflowRunner", **IMAGE}, "gs://b/a")


@pytest.mark.parametrize("name", ["local", "prism", "flink", "dataflow"])
def test_our_job_files_are_taken(name: str) -> None:
    job = load_job(str(ROOT / "configs" / "jobs" / f"{name}.yaml"), {})
    file = "gs://bucket/a.parquet" if name == "dataflow" else "runs/a.parquet"
    setup = _set_up({"output": job.output, "workers": job.workers}, job.runner, file)
    assert setup.is_local == (name == "local")
    assert setup.label.split(",")[0] in ("local", *RUNNERS)


def test_steps_keep_their_names() -> None:
    """The names are what a cluster's pages show, and what a metric or a running job is found by."""
    assert step_names() == STEPS.read_text(encoding="utf-8")
