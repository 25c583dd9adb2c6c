"""The request that Dataflow would get, and what goes along with it; nothing is sent."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from pipeline.job import load_job
from tests.dataflow_request import JOB, REQUEST, built_job, request, staged_names
from tests.golden_steps import STEPS


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip(
        "apache_beam.runners.dataflow.internal.apiclient",
        reason="apache-beam[gcp] is not installed",
        exc_type=ImportError,
    )
    return built_job(tmp_path_factory.mktemp("job"))


def test_the_request(job: Any) -> None:
    """Options, labels, image and sizes are those of the job file."""
    made = request(job)
    assert made == json.loads(REQUEST.read_text(encoding="utf-8"))
    named = load_job(str(JOB), {}).runner
    (pool,) = made["environment"]["workerPools"]
    assert pool["machineType"] == named["machine_type"]
    assert pool["diskSizeGb"] == named["disk_size_gb"]
    assert pool["autoscalingSettings"]["maxNumWorkers"] == named["max_num_workers"]
    (image,) = pool["sdkHarnessContainerImages"]
    expected = named["sdk_container_image"].replace("PROJECT", "my-project")
    assert image["containerImage"] == pool["workerHarnessContainerImage"] == expected
    assert [f"{key}={value}" for key, value in made["labels"].items()] == named["labels"]


def test_nothing_of_this_machine_goes_along(job: Any) -> None:
    """The image has all that workers need; Beam adds but a list of what is installed here."""
    assert staged_names(job) == ["submission_environment_dependencies.txt"]
    here = str(pathlib.Path(__file__).parents[2])
    assert here not in json.dumps(request(job))


def test_the_steps_are_those_of_every_runner(job: Any) -> None:
    names = {step.unique_name for step in job.proto_pipeline.components.transforms.values()}
    assert set(STEPS.read_text(encoding="utf-8").split("\n")) - names == {""}
