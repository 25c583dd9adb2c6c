"""Check types of other packages: one that is installed, and ones that are broken or clash."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from graders.catalog import check_types
from tests.pipeline.conftest import Command, manifest, verdicts
from tests.record_columns import Row
from tests.record_files import write_parquet

PACKAGE = pathlib.Path(__file__).parent.parent / "example_plugin"

CALL = {"type": "tool_call", "tool_name": "find", "arguments": "{}"}
ROWS: list[Row] = [
    {"trajectory_id": "both", "events": [CALL, {"type": "assistant_message", "content": "I used find."}]},
    {"trajectory_id": "long", "events": [CALL, {"type": "assistant_message", "content": "x" * 41}]},
    {"trajectory_id": "none", "events": [{"type": "user_message", "content": "go"}]},
    {"trajectory_id": "null", "events": None},
    {
        "trajectory_id": "half",
        "events": [
            CALL,
            {**CALL, "tool_name": "open"},
            {"type": "assistant_message", "content": "find 👍 " * 5},
        ],
    },
]
CHECKS: list[dict[str, Any]] = [
    {"type": "message-length", "name": "short", "config": {"max": 40}},
    {"type": "tools-explained", "config": {"at_least": 0.5}},
    {"type": "tools-explained", "name": "quiet", "negate": True},
    {
        "type": "any-of",
        "config": {"checks": [{"type": "tools-explained"}, {"type": "message-length", "config": {"max": 9}}]},
    },
    {"type": "hasToolCall", "config": {"tool": "find"}},
]
P, F = ("pass", None), ("fail", None)
NONE, GONE, NA = (("abstain", code) for code in ("NO_EVIDENCE", "MISSING_DATA", "NOT_APPLICABLE"))
EXPECTED = {
    "both": [P, P, F, P, P],
    "long": [F, F, P, F, P],
    "none": [NONE, NA, NA, NA, F],
    "null": [GONE] * 5,
    "half": [P, P, P, F, P],
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process in which the example plugin is installed."""
    work = tmp_path_factory.mktemp("plugin")
    source = shutil.copytree(PACKAGE, work / "source")  # A build leaves files beside what it builds.
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*command, "--target", work / "site", source], check=True, timeout=300)
    return _environment(work / "site")


def _environment(site: pathlib.Path) -> dict[str, str]:
    # Beam's worker processes are started as `python`.
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PYTHONPATH": str(site), "PATH": path}


def _start(
    environment: dict[str, str], work: pathlib.Path, *arguments: object
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline", *map(str, arguments)]
    return subprocess.run(
        command, cwd=work, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.slow_install
def test_installed_types_are_listed(installed: dict[str, str], tmp_path: pathlib.Path) -> None:
    listed = _start(installed, tmp_path, "checks")
    assert listed.returncode == 0, listed.stderr
    assert "message-length" in listed.stdout
    assert "tools-explained" in listed.stdout


@pytest.mark.slow_install
@pytest.mark.parametrize("workers", [1, 2])
def test_installed_types_grade(installed: dict[str, str], tmp_path: pathlib.Path, workers: int) -> None:
    for number, row in enumerate(ROWS):
        write_parquet(tmp_path / "runs" / f"{number}.parquet", [row])
    (tmp_path / "spec.yaml").write_text(json.dumps({"version": 1, "checks": CHECKS}))
    ran = _start(
        installed,
        tmp_path,
        "run",
        "--spec",
        "spec.yaml",
        "--input",
        "runs",
        "--output",
        "out",
        "--workers",
        workers,
    )
    assert ran.returncode == 0, ran.stderr
    rows = verdicts(tmp_path / "out")
    seen = {
        name: [(row["outcome"], row["code"]) for row in rows if row["trajectory_id"] == name]
        for name in EXPECTED
    }
    assert seen == EXPECTED
    scores = {row["trajectory_id"]: row["score"] for row in rows if row["spec_index"] == 1}
    assert scores == {"both": 1.0, "long": 0.0, "none": None, "null": None, "half": 0.5}
    (silent,) = (row for row in rows if row["trajectory_id"] == "half" and row["spec_index"] == 2)
    assert (silent["event_index"], silent["score"]) == (1, 0.5)
    assert silent["evidence"] == "1 of 2 call(s) were named in a later message"
    assert manifest(tmp_path / "out")


@pytest.mark.slow_install
def test_configs_of_installed_types_are_checked(installed: dict[str, str], tmp_path: pathlib.Path) -> None:
    check = {"type": "message-length", "config": {"max": 0, "min": 1}}
    (tmp_path / "spec.yaml").write_text(json.dumps({"version": 1, "checks": [check]}))
    ran = _start(installed, tmp_path, "validate", "spec.yaml")
    assert ran.returncode == 2
    assert "max" in ran.stderr + ran.stdout
    assert "min" in ran.stderr + ran.stdout


_CHECK = """
from typing import ClassVar
from graders.outcome import Outcome
from graders.row_check import RowCheck

class Check(RowCheck):
    type_name: ClassVar[str] = "{name}"

    def grade(self, trajectory):
        return Outcome.PASS
"""
NEVER_FOUND = {"a": ("no_such_module:Check", "")}
BROKEN: dict[str, tuple[dict[str, tuple[str, str]], list[str]]] = {
    "a module that is not there": (NEVER_FOUND, ["plugin a", "no_such_module:Check", "ModuleNotFoundError"]),
    "a module without the class": ({"a": ("plugin_a:Chekc", _CHECK.format(name="x"))}, ["plugin a", "Chekc"]),
    "a module that raises": ({"a": ("plugin_a:Check", "1 / 0")}, ["plugin a", "ZeroDivisionError"]),
    "a module that does not parse": ({"a": ("plugin_a:Check", "def")}, ["plugin a", "SyntaxError"]),
    "no class": ({"a": ("plugin_a:Check", "Check = 3")}, ["plugin a", "not a check class"]),
    "another class": (
        {"a": ("plugin_a:Check", "class Check: type_name = 'x'")},
        ["plugin a", "not a check class"],
    ),
    "a class without a type": (
        {"a": ("plugin_a:Check", "from graders.row_check import RowCheck\nclass Check(RowCheck): pass")},
        ["plugin a", "type_name"],
    ),
    "a type of ours": (
        {"a": ("plugin_a:Check", _CHECK.format(name="hasToolCall"))},
        ["hasToolCall", "twice", "plugin_a"],
    ),
    "a type of another plugin": (
        {name: (f"plugin_{name}:Check", _CHECK.format(name="same-type")) for name in ("a", "b")},
        ["same-type", "twice", "plugin_a", "plugin_b"],
    ),
}


@pytest.fixture(autouse=True)
def _fresh_catalogue() -> Iterator[None]:
    """The catalogue is read anew, and again after the test."""
    check_types.cache_clear()
    yield
    check_types.cache_clear()
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]


def _add(site: pathlib.Path, name: str, entry_point: str, source: str) -> None:
    """What installing a package with one entry point leaves behind."""
    info = site / f"plugin_{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plugin-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gradebeam.checks]\n{name} = {entry_point}\n")
    (site / f"plugin_{name}.py").write_text(source)


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("command", ["checks", "validate", "run"])
def test_a_plugin_at_fault_is_a_clear_error(
    fault: str, command: str, gradebeam: Command, work: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugins, told = BROKEN[fault]
    for name, (entry_point, source) in plugins.items():
        _add(work / "site", name, entry_point, source)
    monkeypatch.syspath_prepend(str(work / "site"))
    arguments = {"checks": [], "validate": ["spec.yaml"]}.get(
        command, ["--spec", "spec.yaml", "--input", "runs", "--output", "out"]
    )
    finished = gradebeam(command, *arguments)
    assert finished.code == 2, finished
    assert [part for part in told if part not in finished.err] == []
    assert "Traceback" not in finished.err
    assert not (work / "out").exists()


def test_a_good_plugin_is_found(
    gradebeam: Command, work: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _add(work / "site", "a", "plugin_a:Check", _CHECK.format(name="always"))
    monkeypatch.syspath_prepend(str(work / "site"))
    finished = gradebeam("checks")
    assert finished.code == 0, finished
    assert "always" in finished.out
