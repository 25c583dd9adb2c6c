"""What tests of runners share: plugins on the path, a worker pool, runners where they are there."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.pipeline.conftest import gradebeam  # noqa: F401  (a fixture)
from tests.record_columns import Row
from tests.record_files import write_parquet

ROOT = pathlib.Path(__file__).parents[2]
FAULTY = pathlib.Path(__file__).parent / "faulty" / "gradebeam_faulty.py"
EXAMPLE = ROOT / "tests" / "example_plugin" / "gradebeam_example"
_ENTRY_POINTS = """\
[gradebeam.checks]
crashes-every = gradebeam_faulty:CrashesEvery
kills-worker = gradebeam_faulty:KillsWorker
loses-disk = gradebeam_faulty:LosesDisk
message-length = gradebeam_example.message_length:MessageLength
waits = gradebeam_faulty:Waits
"""
SECONDS = 240  # Far more than any run takes; none may hang.


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process in which the plugins of the tests are installed, with a key of a judge."""
    site = tmp_path_factory.mktemp("site")
    shutil.copy(FAULTY, site)
    shutil.copytree(EXAMPLE, site / EXAMPLE.name, ignore=shutil.ignore_patterns("__pycache__"))
    info = site / "gradebeam_faulty-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gradebeam-faulty\nVersion: 1\n")
    (info / "entry_points.txt").write_text(_ENTRY_POINTS)
    # Beam starts its workers as `python`.
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PYTHONPATH": str(site), "PATH": path, "JUDGE_KEY": "a-key"}


@dataclasses.dataclass(frozen=True)
class Work:
    """A directory with input and specs, and the command to run there.

    Attributes:
        path: the directory.
        environment: the environment of the command.
    """

    path: pathlib.Path
    environment: Mapping[str, str]

    def write(self, rows: Sequence[Row], checks: Sequence[dict[str, Any]], row_group_size: int) -> None:
        """Write `runs/a.parquet` and `spec.yaml`."""
        write_parquet(self.path / "runs" / "a.parquet", rows, row_group_size=row_group_size)
        (self.path / "spec.yaml").write_text(json.dumps({"version": 1, "checks": checks}))

    def command(self, *arguments: object) -> list[str]:
        """The command that grades the runs by the spec into `out`."""
        settings = ["--spec", "spec.yaml", "--input", "runs", "--output", "out"]
        return [sys.executable, "-m", "pipeline", "run", *settings, *map(str, arguments)]

    def start(self, *arguments: object, **settings: Any) -> subprocess.CompletedProcess[str]:
        """Run that command to its end."""
        return self.finish(self.command(*arguments), **settings)

    def finish(self, command: Sequence[str], **settings: Any) -> subprocess.CompletedProcess[str]:
        """Run a command in this directory to its end."""
        return subprocess.run(
            command,
            cwd=self.path,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            **settings,
        )

    def left(self) -> list[str]:
        """What is in the output directory, hidden files too."""
        return sorted(os.listdir(self.path / "out"))


@pytest.fixture
def work(tmp_path: pathlib.Path, environment: dict[str, str]) -> Work:
    """A directory to work in."""
    return Work(tmp_path, environment)


@pytest.fixture(scope="session")
def pool(environment: dict[str, str]) -> Iterator[str]:
    """The address of a worker pool on this machine."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "apache_beam.runners.worker.worker_pool_main",
        "--service_port",
        str(port),
    ]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            channel = _connected(port)
            assert channel, log.seek(0) or log.read()
            yield f"localhost:{port}"
        finally:
            process.terminate()
            process.wait()


def _connected(port: int) -> bool:
    import grpc

    with grpc.insecure_channel(f"localhost:{port}") as channel:
        grpc.channel_ready_future(channel).result(timeout=60)
    return True


@pytest.fixture(scope="session")
def job_server(
    pool: str, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[str]]:
    """The flags of a job server of Beam's Python, whose workers are those of the pool: they start elsewhere."""
    place = tmp_path_factory.mktemp("job-server")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    module = "apache_beam.runners.portability.local_job_service_main"
    command = [sys.executable, "-m", module, "--port", str(port), "--staging_dir", str(place)]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=environment, cwd=place, stdout=log, stderr=log)
        try:
            assert _connected(port), log.seek(0) or log.read()
            yield [
                "--runner=PortableRunner",
                f"--job_endpoint=localhost:{port}",
                "--environment_type=EXTERNAL",
                f"--environment_config={pool}",
            ]
        finally:
            process.terminate()
            process.wait()


@pytest.fixture(scope="session")
def prism(request: pytest.FixtureRequest) -> list[str]:
    """The flags of Prism with the worker pool."""
    found = os.environ.get("GRADEBEAM_PRISM", str(ROOT / ".cluster" / "bin" / "prism"))
    if not os.access(found, os.X_OK):
        pytest.skip("Prism is not built: `scripts/cluster install` does that, with Go")
    return ["--runner=PrismRunner", f"--prism_location={found}", *_external(request)]


@pytest.fixture(scope="session")
def flink(request: pytest.FixtureRequest) -> list[str]:
    """The flags of a Flink cluster on this machine with the worker pool."""
    endpoint = os.environ.get("GRADEBEAM_FLINK_ENDPOINT")
    if not endpoint:
        pytest.skip("GRADEBEAM_FLINK_ENDPOINT does not name a Flink job server, such as localhost:8099")
    return ["--runner=PortableRunner", f"--job_endpoint={endpoint}", "--parallelism=2", *_external(request)]


def _external(request: pytest.FixtureRequest) -> list[str]:
    pool = request.getfixturevalue("pool")
    return ["--environment_type=EXTERNAL", f"--environment_config={pool}"]


@pytest.fixture(
    params=[pytest.param("prism", marks=pytest.mark.prism), pytest.param("flink", marks=pytest.mark.flink)]
)
def engine(request: pytest.FixtureRequest) -> list[str]:
    """The flags of each runner that is there."""
    return request.getfixturevalue(request.param)
