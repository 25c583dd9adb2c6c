"""The command line: exit codes, strict flags, and hints where a name is nearly right."""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import subprocess
import sys

import pytest

from graders.catalog import check_types
from tests.pipeline.conftest import Command, manifest

RUN = ("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out")


def test_a_good_run_ends_with_0_and_shows_its_table(work: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam(*RUN)
    assert done.code == 0
    assert "saves" in done.out
    assert "6 trajectories" in done.out
    assert "out" in done.out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--inptu", "runs"), "--input"),
        (("--overwrit",), "--overwrite"),
        (("--out=elsewhere",), "--output"),
        (("--spe", "spec.yaml"), "--spec"),
        (("--spec_file", "spec.yaml"), "--spec"),
        (("--worker", "1"), "--workers"),
        (("--unheard-of",), "--unheard-of"),
    ],
)
def test_flags_are_whole_and_known(
    work: pathlib.Path, gradebeam: Command, arguments: tuple[str, ...], hint: str
) -> None:
    done = gradebeam(*RUN, *arguments)
    assert done.code == 2
    assert hint in done.err
    assert not (work / "out").exists()
    assert not (work / "elsewhere").exists()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ((), "COMMAND"),
        (("rnu",), "run"),
        (("run",), "--spec"),
        (("run", "--spec", "spec.yaml"), "--input"),
        (("run", "--spec", "spec.yaml", "--input", "runs"), "--output"),
        ((*RUN, "--workers", "0"), "workers"),
        ((*RUN, "--workers", "two"), "two"),
        ((*RUN, "--formats", "cvs"), "csv"),
        ((*RUN, "--formats", ""), "format"),
        ((*RUN, "--job", "nowhere.yaml"), "nowhere.yaml"),
        ((*RUN, "--slice", "tags.\udcff"), "not Unicode"),
        ((*RUN, "--", "--runer=FnApiRunner"), "runner"),
        ((*RUN, "--", "FnApiRunner"), "FnApiRunner"),
        (("validate", "spec.yaml", "--", "--runner=x"), "run"),
        (("validate",), "SPEC"),
        (("validate", "nowhere.yaml"), "nowhere.yaml"),
    ],
)
def test_a_wrong_command_ends_with_2(
    work: pathlib.Path, gradebeam: Command, arguments: tuple[str, ...], hint: str
) -> None:
    done = gradebeam(*arguments)
    assert done.code == 2
    assert hint in done.err
    assert "Traceback" not in done.err
    assert not (work / "out").exists()


def test_wrong_values_are_named_with_their_flags_all_at_once(work: pathlib.Path, gradebeam: Command) -> None:
    flags = {
        "--slice": "modle",
        "--workers": "0",
        "--max-quarantined": "2.0",
        "--formats": "cvs",
        "--run-id": "'my run'",
        "--judge-max-calls": "-1",
        "--output": "''",
    }
    done = gradebeam(*RUN[:-2], *(part.strip("'") for flag in flags.items() for part in flag))
    assert done.code == 2
    *lines, last = done.err.splitlines()
    assert sorted(line.split(": ")[0] for line in lines) == sorted(map(" ".join, flags.items()))
    assert "'model'" in done.err
    assert last == "7 problems; nothing was graded"
    for internal in ("Value error", "Input should", "slices", "judges", "pydantic"):
        assert internal not in done.err


def test_what_is_missing_is_named_as_flags(work: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam("run", "--input", "runs")
    assert [line.split(":")[0] for line in done.err.splitlines()][:2] == ["--spec", "--output"]


def test_validate_reports_every_file(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "bad.yaml").write_text("version: 1\nchecks:\n  - {type: hasToolcall, config: {tool: a}}\n")
    (work / "worse.yaml").write_text("version: 1\nchecks: [\n")
    done = gradebeam("validate", "spec.yaml", "bad.yaml", "worse.yaml")
    assert done.code == 2
    assert "bad.yaml:3: checks[0].type" in done.err
    assert "'hasToolCall'" in done.err
    assert "worse.yaml" in done.err
    assert gradebeam("validate", "spec.yaml").code == 0


def test_validate_warns(work: pathlib.Path, gradebeam: Command) -> None:
    check = {"type": "assistant-contains-tool-output", "config": {"tools": ["a"], "pattern": "rt_["}}
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": [check]}))
    done = gradebeam("validate", "spec.yaml")
    assert done.code == 0
    assert "rt_[" in done.out + done.err


def test_a_spec_in_json(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "spec.json").write_text((work / "spec.yaml").read_text())
    assert gradebeam("run", "--spec", "spec.json", "--input", "runs", "--output", "out").code == 0


def test_several_inputs_in_one_flag_and_in_several(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "more").mkdir()
    for name in ("b", "c"):
        (work / "more" / f"{name}.parquet").write_bytes((work / "runs" / "a.parquet").read_bytes())
    arguments = ("--input", "runs", "more/b.parquet", "--input", "more/c.parquet")
    assert gradebeam("run", "--spec", "spec.yaml", "--output", "out", *arguments).code == 0
    found = manifest(work / "out")
    assert found["counts"]["trajectories"] == 18
    assert found["duplicate_ids"]["distinct"] == 6


def test_the_catalogue(gradebeam: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = gradebeam("checks", "--json")
    assert done.code == 0
    listed = {item["type"]: item for item in json.loads(done.out)}
    assert set(listed) == set(check_types())
    for item in listed.values():
        assert item["summary"]
        assert set(item["taxonomy"]) == {"determinism", "cost", "reference", "scope", "score_kind"}
        assert item["schema"]["additionalProperties"] is False
    plain = gradebeam("checks")
    assert plain.code == 0
    lines = plain.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert {line.split()[0] for line in lines if line.strip()} >= set(check_types())


def test_as_a_module_and_from_anywhere(work: pathlib.Path) -> None:
    (work / "empty").mkdir()
    command = [
        sys.executable,
        "-m",
        "pipeline",
        "run",
        "--spec",
        "../spec.yaml",
        "--input",
        "../runs",
        "--output",
        "out",
    ]
    done = subprocess.run(command, cwd=work / "empty", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "6 trajectories" in done.stdout
    assert "Traceback" not in done.stderr
    assert (work / "empty" / "out" / "manifest.json").exists()


def test_the_version(gradebeam: Command) -> None:
    done = gradebeam("--version")
    assert done.code == 0
    assert done.out == f"gradebeam {importlib.metadata.version('gradebeam')}\n"


def test_help_is_no_error(gradebeam: Command) -> None:
    for arguments in (("--help",), ("run", "--help"), ("validate", "--help")):
        done = gradebeam(*arguments)
        assert done.code == 0
        assert "usage" in done.out
