"""The wheel alone, installed away from the checkout, grades."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import site
import subprocess
import sys
import zipfile

import pytest

from tests.pipeline.conftest import ROWS, SPEC
from tests.record_files import write_parquet

pytestmark = pytest.mark.slow_install

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = ("graders", "pipeline")


def _start(*command: str | pathlib.Path, **settings: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **settings
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The wheel of this checkout, built from a copy: a build leaves files beside its source."""
    target = tmp_path_factory.mktemp("wheel")
    source = target / "source"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, source)
    _start(sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", target, source)
    (file,) = target.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The directory of an installation without its dependencies, which this environment lends."""
    target = tmp_path_factory.mktemp("installed")
    _start(sys.executable, "-m", "pip", "install", "--no-deps", "--quiet", "--target", target, wheel)
    return target


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: pathlib.Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    shipped = {name for name in names if name.endswith(".py")}
    expected = {
        str(path.relative_to(ROOT)) for package in PACKAGES for path in (ROOT / package).rglob("*.py")
    }
    assert shipped == expected


def test_the_installed_command_grades_in_an_empty_directory(
    installed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    write_parquet(tmp_path / "data" / "a.parquet", ROWS)
    (tmp_path / "spec.yaml").write_text(json.dumps(SPEC))
    empty = tmp_path / "empty"
    empty.mkdir()
    # -I keeps the working directory and the checkout off the path; only what is named here is on it.
    places = [str(installed), *(path for path in site.getsitepackages())]
    start = (
        f"import sys; sys.path[:0] = {places!r}; import pipeline, graders; from pipeline.cli import main; "
    )
    show = "print(pipeline.__file__, graders.__file__); "
    arguments = ["run", "--spec", "../spec.yaml", "--input", "../data", "--output", "out"]
    done = _start(
        sys.executable, "-I", "-S", "-c", f"{start}{show}sys.exit(main(sys.argv[1:]))", *arguments, cwd=empty
    )
    assert done.stdout.count(str(installed)) == 2, done.stdout
    manifest = json.loads((empty / "out" / "manifest.json").read_text())
    assert manifest["counts"]["verdicts"] == 12


def test_the_script_is_there(installed: pathlib.Path) -> None:
    script = installed / "bin" / "gradebeam"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *site.getsitepackages()])}
    done = _start(sys.executable, script, "checks", "--json", env=environment, cwd=installed)
    assert {item["type"] for item in json.loads(done.stdout)} >= {"hasToolCall", "outputMatches"}
