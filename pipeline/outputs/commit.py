"""The output directory: what it may hold, and how a run's files appear in it.

A run claims the directory and writes below a hidden one of its own. When its accounts add up, what an
earlier run left is removed, manifest first, and the new files are renamed into place, manifest last: a
directory without a manifest holds no finished run.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import uuid
from collections.abc import Generator, Mapping, Sequence

from pipeline import files
from pipeline.errors import InvalidError, Problem, RunError, invalid
from pipeline.outputs.claim import claimed
from pipeline.sources.inputs import InputFile

MANIFEST = "manifest.json"
QUARANTINE = "quarantine.jsonl"
VERDICTS = "verdicts"
TRAJECTORIES = "trajectories"
SAMPLES = "samples"
VOTES = "votes"
REPORT = "report.html"
JUNIT = "junit.xml"
EXAMPLES = "examples.json"
GATES = "gates.json"
COMPARISON = "compare.json"
TRANSITIONS = "transitions"
CHANGES = "changes"
_STAGING = ".staging-"
_OWNER = "owner"
_TABLES = (VERDICTS, TRAJECTORIES, VOTES, CHANGES)
_PART = re.compile(r".+-[0-9a-f]{32}\.parquet|part-[0-9]{5}-of-[0-9]{5}\.parquet")
_FILES = (
    QUARANTINE,
    "report.md",
    REPORT,
    JUNIT,
    EXAMPLES,
    GATES,
    COMPARISON,
    f"{SAMPLES}.parquet",
    *(
        f"{table}.{format_}"
        for table in ("summary", "scores", "types", TRANSITIONS)
        for format_ in ("parquet", "csv", "avro", "json")
    ),
)


def check_output(output: str, inputs: Sequence[InputFile], patterns: Sequence[str]) -> None:
    """See that a directory can be that of a run's outputs.

    Raises:
        InvalidError: it is a file, holds input, or lies in a directory that is input.
    """
    if not files.is_remote(output) and os.path.lexists(output) and not os.path.isdir(output):
        raise invalid(output, "a file, but the output is a directory")
    own = _comparable(output)
    problems = [
        Problem(output, "", f"the output directory holds the input {file.path}; choose another")
        for file in inputs
        if _comparable(file.path).startswith(own + "/")
    ]
    problems += [
        Problem(output, "", f"the output directory lies inside the input {pattern}; choose another")
        for pattern in patterns
        if f"{own}/".startswith(_comparable(_directory_of(pattern)) + "/") and _is_recursive(pattern)
    ]
    if problems:
        raise InvalidError(problems)


@contextlib.contextmanager
def claimed_unfinished(output: str, run_id: str, *, overwrite: bool) -> Generator[None]:
    """Hold an output directory in which a run may commit; see `claimed`.

    Raises:
        InvalidError: another run holds it, or it holds a finished run that may not be replaced.
    """
    with claimed(output, run_id):
        if not overwrite and _is_finished_by_other(output, run_id):
            raise invalid(
                output, "holds a finished run; choose another directory, or replace it with --overwrite"
            )
        yield


def _is_finished_by_other(output: str, run_id: str) -> bool:
    """Whether a directory holds a finished run, and not an earlier attempt of this one."""
    manifest = files.join(output, MANIFEST)
    return files.exists(manifest) and _run_id_in(manifest) != run_id


def _run_id_in(manifest: str) -> str | None:
    """The id of the run that a manifest tells of; None where it is not readable."""
    try:
        return json.loads(files.read_bytes(manifest, "manifest"))["run_id"]
    except (InvalidError, ValueError, KeyError, TypeError):
        return None


def _is_recursive(pattern: str) -> bool:
    return "**" in pattern or pattern.endswith("/") or os.path.isdir(pattern)


def _directory_of(pattern: str) -> str:
    return pattern.split("**", 1)[0]


def _comparable(path: str) -> str:
    return path.rstrip("/") if files.is_remote(path) else os.path.realpath(path)


@contextlib.contextmanager
def open_staging(output: str, run_id: str) -> Generator[str]:
    """The directory in which a run writes, below an output that it has claimed; it is deleted at the end.

    Its path is absolute, since workers start elsewhere. Each attempt of a run id has one of its own,
    so that workers of an earlier attempt that still write do no harm. What killed runs left behind is
    removed first: on object stores, where nobody is kept from writing, that of this run id.
    """
    prefix = f"{_STAGING}{run_id}."
    if files.is_remote(output):
        # The end as well, since a run id may hold dots: `a` leaves `a.b` alone.
        attempt = re.compile(rf"/{re.escape(prefix)}[0-9a-f]{{8}}/")
        there = (path for path, _ in files.glob(files.join(output, f"{prefix}*/**")))
        files.delete(*(path for path in there if attempt.search(path)))
    else:
        left = [name for name in os.listdir(output) if name.startswith(_STAGING)]
        files.delete(*(files.join(output, name) for name in left))
    staging = files.join(files.absolute(output, os.getcwd()), f"{prefix}{uuid.uuid4().hex[:8]}")
    try:
        for table in (VERDICTS, TRAJECTORIES, SAMPLES, VOTES):
            files.make_directory(files.join(staging, table))
        files.write_text(files.join(staging, _OWNER), f"{platform.node()} {os.getpid()}")
    except OSError as error:
        raise invalid(output, f"the output directory cannot be made: {error.strerror or error}") from error
    try:
        yield staging
    finally:
        files.delete(staging)


def delete_table(directory: str) -> None:
    """Delete a table that runs have written; what else is in its directory stays."""
    if not files.is_remote(directory) and (os.path.islink(directory) or not os.path.isdir(directory)):
        files.delete(directory)
        return
    names = files.list_names(directory, "", ".parquet")
    files.delete(*(files.join(directory, name) for name in names if _PART.fullmatch(name)))
    files.delete_empty(directory)


def commit(
    output: str,
    staging: str,
    *,
    run_id: str,
    overwrite: bool,
    written: Sequence[str],
    texts: Mapping[str, bytes],
    manifest: bytes,
) -> None:
    """Put the files of a run into place.

    Args:
        output: the output directory.
        staging: where the run wrote.
        run_id: the run.
        overwrite: whether it may replace another.
        written: paths of the files in staging that count.
        texts: the other files by name.
        manifest: the manifest, which makes the run finished.

    Raises:
        RunError: where nobody is kept from writing, another run has finished there meanwhile.
    """
    if not overwrite and _is_finished_by_other(output, run_id):
        raise RunError(f"{output}: another run has finished there meanwhile; its outputs stay as they are")
    for name, data in {**texts, MANIFEST: manifest}.items():
        with files.open_write(files.join(staging, name)) as file:
            file.write(data)
    files.delete(files.join(output, MANIFEST))
    files.delete(*(files.join(output, name) for name in _FILES))
    for table in _TABLES:
        delete_table(files.join(output, table))
    for name in (*written, *texts, MANIFEST):
        files.rename(files.join(staging, name), files.join(output, name))
