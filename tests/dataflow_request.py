"""The request that starts `configs/jobs/dataflow.yaml` on Dataflow, built without a network; it is kept in `tests/golden`.

It needs `apache-beam[gcp]`.
"""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import yaml

from pipeline.build import build
from pipeline.execution import open_pipeline
from pipeline.job import load_job
from pipeline.runners import set_up_runner
from pipeline.sources.inputs import InputFile, WorkItem
from pipeline.specs.load import load_spec

ROOT = pathlib.Path(__file__).parents[1]
REQUEST = ROOT / "tests" / "golden" / "dataflow.json"
JOB = ROOT / "configs" / "jobs" / "dataflow.yaml"
_INPUT = "gs://my-bucket/runs/a.parquet"


def built_job(directory: pathlib.Path) -> Any:
    """Beam's own description of the job, as far as it is made before anything is sent.

    Args:
        directory: where the job file goes, with names in place of what stands in capitals.
    """
    text = JOB.read_text(encoding="utf-8").replace("PROJECT", "my-project").replace("BUCKET", "my-bucket")
    (directory / "job.yaml").write_text(text, encoding="utf-8")
    job = load_job(str(directory / "job.yaml"), {})
    inputs = [InputFile(_INPUT, 1, (WorkItem(_INPUT, "parquet", 0, 1, 1),))]
    runner = {**job.runner, "job_name": "gradebeam", "dry_run": "true"}  # Beam stops before it sends.
    setup = set_up_runner(runner, job.workers, inputs, output=job.output)
    pipeline = open_pipeline(setup)
    (spec,) = (load_spec(str(ROOT / path)) for path in job.spec)
    build(
        pipeline, specs=[spec], inputs=inputs, columns=job.column_map, staging="gs://my-bucket/graded/staging"
    )
    return pipeline.run().job


def request(job: Any) -> dict[str, Any]:
    """The request for a job, but for what differs from one machine and moment to the next.

    Of the options that travel to the workers it has those that the job file names.
    """
    from apache_beam.runners.dataflow.internal import apiclient

    staged = job.google_cloud_options.staging_location
    job.proto.environment = apiclient.Environment(
        packages=staged_names(job),
        options=job.options,
        environment_version=apiclient._FNAPI_ENVIRONMENT_MAJOR_VERSION,
        proto_pipeline_staged_url=f"{staged}/pipeline.pb",
        proto_pipeline=job.proto_pipeline,
    ).proto
    made = json.loads(re.sub(r"gradebeam\.\d+\.\d+", "gradebeam.TIME", job.json()))
    del made["clientRequestId"]
    environment = made["environment"]
    del environment["userAgent"]
    options = environment["sdkPipelineOptions"]["options"]
    named = yaml.safe_load(JOB.read_text(encoding="utf-8"))["runner"]
    environment["sdkPipelineOptions"] = {name: options[name] for name in named if name in options}
    for pool in environment["workerPools"]:
        for image in pool["sdkHarnessContainerImages"]:
            del image["capabilities"]
    return made


def encoded(made: dict[str, Any]) -> str:
    """A request as it is kept."""
    return json.dumps(made, indent=2) + "\n"


def staged_names(job: Any) -> list[str]:
    """The names of the files that are sent along for the workers."""
    from apache_beam.portability.api import beam_runner_api_pb2

    return sorted(
        beam_runner_api_pb2.ArtifactStagingToRolePayload.FromString(file.role_payload).staged_name
        for environment in job.proto_pipeline.components.environments.values()
        for file in environment.dependencies
    )
