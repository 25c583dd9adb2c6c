"""Finished runs, read back: what was checked, and where the tables are."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline import files
from pipeline.errors import InvalidError, Problem, invalid
from pipeline.outputs.commit import MANIFEST, TRAJECTORIES, VERDICTS
from pipeline.outputs.document import read_versioned
from pipeline.outputs.manifest import SCHEMA_VERSION
from pipeline.sources.inputs import InputFile, WorkItem

_ROWS_PER_PIECE = 200_000
_LISTS = ("checks", "slices", "verdict_files", "trajectory_files")


@dataclasses.dataclass(frozen=True)
class RunCheck:
    """A check of a finished run.

    Attributes:
        spec_index: its place among the checks of the run.
        check_type: its type.
        name: its name, or None.
        identity: what stays the same from run to run, see `specs.identity`.
        selectors: samples and tags that it is for, as JSON text.
        advisory: whether it is counted but never gates.
    """

    spec_index: int
    check_type: str
    name: str | None
    identity: str
    selectors: str
    advisory: bool


@dataclasses.dataclass(frozen=True)
class FinishedRun:
    """A directory with the tables of a run.

    Attributes:
        directory: where it is.
        manifest: its manifest.
        label: what its user calls the directory.
    """

    directory: str
    manifest: Mapping[str, Any]
    label: str

    @property
    def checks(self) -> list[RunCheck]:
        """The checks of the run, in order of their spec indexes."""
        return [
            RunCheck(
                item["spec_index"],
                item["check_type"],
                item["check_name"],
                item["identity"],
                json.dumps([item["samples"], item["tags"]], sort_keys=True),
                item["advisory"],
            )
            for item in self.manifest["checks"]
        ]

    @property
    def verdict_files(self) -> list[str]:
        """The paths of the files of the verdict table."""
        names = [item["name"] for item in self.manifest["verdict_files"]]
        return [files.join(self.directory, VERDICTS, name) for name in names]

    @property
    def trajectory_files(self) -> list[str]:
        """The paths of the files of the trajectory table."""
        names = [item["name"] for item in self.manifest["trajectory_files"]]
        return [files.join(self.directory, TRAJECTORIES, name) for name in names]

    @property
    def inputs(self) -> list[InputFile]:
        """The files of the verdict table as inputs of a pipeline, for the set-up of its runner."""
        rows = [item["rows"] for item in self.manifest["verdict_files"]]
        return [
            InputFile(path, 0 if files.is_remote(path) else os.path.getsize(path), _pieces(path, count))
            for path, count in zip(self.verdict_files, rows, strict=True)
        ]

    @property
    def trajectory_rows(self) -> int:
        """How many trajectories there are, one for each spec."""
        return self.manifest["counts"]["trajectories"] * len(self.manifest["specs"])

    @property
    def verdict_rows(self) -> int:
        """How many verdicts there are."""
        return self.manifest["counts"]["verdicts"]


def _pieces(path: str, rows: int) -> tuple[WorkItem, ...]:
    return tuple(
        WorkItem(path, "parquet", number, min(_ROWS_PER_PIECE, rows - start), 0)
        for number, start in enumerate(range(0, rows, _ROWS_PER_PIECE))
    )


def open_run(directory: str) -> FinishedRun:
    """The finished run in a directory.

    Raises:
        InvalidError: there is none, or a file of it is gone.
    """
    path = files.join(directory, MANIFEST)
    if not files.exists(path):
        raise invalid(directory, f"holds no finished run: it has no {MANIFEST}")
    manifest = read_versioned(path, "manifest", "manifest_version", SCHEMA_VERSION)
    if any(key not in manifest for key in _LISTS):
        raise invalid(
            path,
            f"the manifest does not list {', '.join(_LISTS)}, an earlier gradebeam wrote it; grade again",
        )
    run = FinishedRun(directory, manifest, directory)
    missing = _missing(run)
    if missing:
        raise InvalidError(
            [Problem(name, "", "the manifest lists this file, but it is gone") for name in missing]
        )
    return run


def _missing(run: FinishedRun) -> Sequence[str]:
    missing: list[str] = []
    for table, paths in ((VERDICTS, run.verdict_files), (TRAJECTORIES, run.trajectory_files)):
        directory = files.join(run.directory, table)
        there = set(files.list_names(directory, "", ".parquet")) if paths else set[str]()
        missing += [path for path in paths if os.path.basename(path) not in there]
    return missing
