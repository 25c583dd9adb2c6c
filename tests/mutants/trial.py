"""A trial: the tests, run on a copy of the project with a mutant in it."""

from __future__ import annotations

import contextlib
import enum
import importlib.util
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from tests.mutants.catalog import ROOT, Mutant

_COPIED = ("graders", "pipeline", "tests", "pyproject.toml")
_TESTS_FAILED = 1


class Finding(enum.StrEnum):
    """What became of a mutant; only a killed one is as it should be."""

    KILLED = "killed"
    SURVIVED = "survived"
    TIMED_OUT = "timed out"
    BROKEN = "broken"
    """The tests could not be run at all, so they tell nothing."""


@contextlib.contextmanager
def copied_project() -> Iterator[pathlib.Path]:
    """A copy of what the tests of the graders need."""
    with tempfile.TemporaryDirectory(prefix="gradebeam-mutant-") as folder:
        copy = pathlib.Path(folder)
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        yield copy


def try_mutant(mutant: Mutant, copy: pathlib.Path, limit_s: float) -> tuple[Finding, str]:
    """What its tests say of a mutant, and their last words; the copy is as before afterwards."""
    path = copy / mutant.file
    original = path.read_text(encoding="utf-8")
    _write(path, mutant.applied_to(original))
    try:
        return run_tests(copy, mutant.tests, limit_s)
    finally:
        _write(path, original)


def _write(path: pathlib.Path, source: str) -> None:
    """Change a module; its bytecode goes, since two versions within a second may look the same."""
    path.write_text(source, encoding="utf-8")
    pathlib.Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)


def run_tests(copy: pathlib.Path, tests: str, limit_s: float) -> tuple[Finding, str]:
    """Run tests of the graders, given as to pytest, up to the first that fails; all of them  where none are named."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "HYPOTHESIS_PROFILE": "unshrunk"}
    plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")
    options = ("-x", "-q", "--no-header", "--hypothesis-seed=0", *plugins)
    command = [sys.executable, "-m", "pytest", *options, *shlex.split(tests)]
    try:
        done = subprocess.run(
            command,
            cwd=copy / "tests" / "graders",
            env=environment,
            timeout=limit_s,
            capture_output=True,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding.TIMED_OUT, f"no result within {limit_s:g} s"
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or [""]
    if done.returncode == 0:
        return Finding.SURVIVED, lines[-1]
    if done.returncode != _TESTS_FAILED:
        return Finding.BROKEN, lines[-1]
    return Finding.KILLED, next((line for line in lines if line.startswith("FAILED")), lines[-1])
