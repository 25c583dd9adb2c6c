"""The job file: the same settings as the flags, strictly; flags win."""

from __future__ import annotations

import pathlib

import pytest

from pipeline.job import JobConfig, load_job
from tests.documents import ROOT
from tests.pipeline.conftest import Command, manifest

JOB = """\
spec: spec.yaml
input: [runs]
output: out
formats: [json]
"""


def _start(work: pathlib.Path, gradebeam: Command, text: str, *flags: str) -> tuple[int, str]:
    (work / "job.yaml").write_text(text)
    done = gradebeam("run", "--job", "job.yaml", *flags)
    return done.code, done.err


def _summaries(directory: pathlib.Path) -> list[str]:
    return sorted(path.name for path in directory.glob("summary.*"))


def test_a_job_is_enough(work: pathlib.Path, gradebeam: Command) -> None:
    assert _start(work, gradebeam, JOB) == (0, "")
    assert _summaries(work / "out") == ["summary.json"]


def test_flags_win(work: pathlib.Path, gradebeam: Command) -> None:
    assert _start(work, gradebeam, JOB, "--output", "other", "--formats", "csv,avro") == (0, "")
    assert not (work / "out").exists()
    assert _summaries(work / "other") == ["summary.avro", "summary.csv"]
    assert _start(work, gradebeam, JOB + "overwrite: false\n", "--output", "other", "--overwrite") == (0, "")


def test_a_flag_supplies_what_the_file_lacks(work: pathlib.Path, gradebeam: Command) -> None:
    text = JOB.replace("output: out\n", "")
    code, said = _start(work, gradebeam, text)
    assert code == 2
    assert "--output" in said
    assert _start(work, gradebeam, text, "--output", "out") == (0, "")


def test_columns_and_share(work: pathlib.Path, gradebeam: Command) -> None:
    text = JOB + "columns: {output: sample_id}\nmax_quarantined: 1\nworkers: 1\n"
    assert _start(work, gradebeam, text) == (0, "")
    assert manifest(work / "out")["columns"] == {"output": "sample_id"}


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        (JOB + "outptu: x\n", "job.yaml:5: outptu", "'output'"),
        (JOB + "workers: 1.5\n", "job.yaml:5: workers", "whole"),
        (JOB + "workers: '1'\n", "job.yaml:5: workers", "whole"),
        (JOB + "overwrite: yes\n", "job.yaml:5: overwrite", "true or false"),
        (JOB + "max_quarantined: 2\n", "job.yaml:5: max_quarantined", "1"),
        (JOB.replace("out\n", "7\n"), "job.yaml:3: output", "quote"),
        (JOB.replace("[json]", "[cvs]"), "job.yaml:4: formats[0]", "'csv'"),
        (JOB.replace("[json]", "[]"), "job.yaml:4: formats", "at least one"),
        (JOB.replace("[runs]", "[]"), "job.yaml:2: input", "at least one"),
        (JOB + "spec: other.yaml\n", "job.yaml:5: spec", "twice"),
        ("- spec\n", "job.yaml:1", "mapping"),
        ("spec: [\n", "job.yaml:", "YAML"),
    ],
)
def test_a_job_is_read_strictly(
    work: pathlib.Path, gradebeam: Command, text: str, place: str, hint: str
) -> None:
    code, said = _start(work, gradebeam, text)
    assert code == 2
    assert said.startswith(place)
    assert hint in said
    assert not (work / "out").exists()


def test_all_mistakes_of_a_job_at_once(work: pathlib.Path, gradebeam: Command) -> None:
    code, said = _start(work, gradebeam, JOB + "workers: x\nnope: 1\ncolumns: [a]\n")
    assert code == 2
    for place in ("job.yaml:5: workers", "job.yaml:6: nope", "job.yaml:7: columns"):
        assert place in said


def test_the_local_job_has_every_key() -> None:
    job = load_job(str(ROOT / "configs" / "jobs" / "local.yaml"), {})
    assert job.model_fields_set == set(JobConfig.model_fields)
