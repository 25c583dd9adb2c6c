"""What schedules runs elsewhere: it is well formed, and its commands are ones that gradebeam takes."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import pathlib
import re
import runpy
import shlex
import tomllib
from typing import Any

import pytest
import yaml

from pipeline.cli import _make_parser
from pipeline.job import JobConfig, load_job

ROOT = pathlib.Path(__file__).parents[2]
CONFIGS = ROOT / "configs"
DAG = CONFIGS / "airflow" / "gradebeam_nightly.py"
DOCKERFILE = ROOT / "scripts" / "images" / "worker.Dockerfile"


def _manifest(name: str) -> dict[str, Any]:
    return yaml.safe_load((CONFIGS / "kubernetes" / name).read_text(encoding="utf-8"))


def _job(command: str) -> JobConfig:
    """The job of a command line, as the command would read it but for its job file."""
    program, *arguments = shlex.split(command)
    assert program == "gradebeam"
    options = _make_parser().parse_args(arguments)
    assert options.job == "/job/job.yaml"
    flags = {name: getattr(options, name) for name in ("input", "output", "run_id")}
    return load_job(None, {"spec": "spec.yaml", **flags})


def _assert_daily(job: JobConfig) -> None:
    """Attempts of a day share an id, and days do not share a directory."""
    assert job.run_id == "nightly-2026-03-01"
    assert job.input == ["s3://BUCKET/runs/2026-03-01/*.parquet"]
    assert job.output == "s3://BUCKET/graded/{run_id}"


def test_the_cron_job() -> None:
    cron = _manifest("cronjob.yaml")
    assert (cron["apiVersion"], cron["kind"]) == ("batch/v1", "CronJob")
    assert cron["spec"]["concurrencyPolicy"] == "Forbid"
    job = cron["spec"]["jobTemplate"]["spec"]
    (rule,) = job["podFailurePolicy"]["rules"]
    assert rule["onExitCodes"]["values"] == [1, 2]
    pod = job["template"]["spec"]
    assert pod["restartPolicy"] == "Never"  # A failure policy asks for it.
    (container,) = pod["containers"]
    assert rule["onExitCodes"]["containerName"] == container["name"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {item["name"] for item in pod["volumes"]}
    day, command = container["args"][0].split("exec ")
    assert day.startswith("day=$(date ")
    _assert_daily(_job(command.replace("\\\n", " ").replace("$day", "2026-03-01")))


def test_the_flink_cluster_fits_the_flink_job() -> None:
    cluster = _manifest("flink.yaml")
    assert (cluster["apiVersion"], cluster["kind"]) == ("flink.apache.org/v1beta1", "FlinkDeployment")
    settings = cluster["spec"]["flinkConfiguration"]
    assert settings["restart-strategy.type"] == "fixed-delay"
    assert settings["taskmanager.memory.network.max"] == "512m"
    assert all(isinstance(value, str) for value in settings.values())  # The operator takes nothing else.
    main, pool = cluster["spec"]["taskManager"]["podTemplate"]["spec"]["containers"]
    assert main["name"] == "flink-main-container"
    runner = load_job(str(CONFIGS / "jobs" / "flink.yaml"), {}).runner
    assert runner["environment_config"] == f"localhost:{pool['ports'][0]['containerPort']}"
    slots = int(settings["taskmanager.numberOfTaskSlots"]) * cluster["spec"]["taskManager"]["replicas"]
    assert runner["parallelism"] <= slots / 2  # One of the two may die.
    version = runner["flink_version"]
    assert cluster["spec"]["flinkVersion"] == f"v{version.replace('.', '_')}"
    assert cluster["spec"]["image"] == f"flink:{version}"


def test_the_command_of_the_dag() -> None:
    values: dict[str, str] = {}
    for node in ast.parse(DAG.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            exec(compile(ast.Module([node], []), str(DAG), "exec"), values)  # noqa: S102  (two texts of our own)
    _assert_daily(_job(values["COMMAND"].replace(values["DAY"], "2026-03-01")))


def test_the_dag_under_airflow() -> None:
    pytest.importorskip("airflow.sdk", reason="Airflow is not installed")
    task = runpy.run_path(str(DAG))["grade"]
    assert task.dag.dag_id == "gradebeam_nightly"
    assert task.retries == 2


def test_the_image_has_the_beam_that_starts_jobs() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")
    (beam,) = re.findall(r"^ARG BEAM=(\S+)$", text, re.MULTILINE)
    assert beam == importlib.metadata.version("apache-beam")
    (python,) = re.findall(r"beam_python([\d.]+)_sdk", text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={python}"
    for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in line.split()), line


@pytest.mark.parametrize("name", ["ARROW_DEFAULT_MEMORY_POOL", "JE_ARROW_MALLOC_CONF"])
def test_workers_that_load_arrow_first_have_its_allocator_too(name: str) -> None:
    chosen = re.escape(os.environ[name])  # By the package, when it was imported.
    assert re.search(rf"^ENV .*\b{name}={chosen}(\s|$)", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert re.search(rf"\b{name}:-{chosen}}}", (ROOT / "scripts" / "cluster").read_text(encoding="utf-8"))
