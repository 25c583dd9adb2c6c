"""Input patterns to files, and files to work items, checked before anything is graded."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import posixpath
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

import pyarrow.parquet as pq

from graders.arrays import replace_surrogates
from graders.trajectory import LEAVES
from pipeline import files
from pipeline.errors import InvalidError, Problem
from pipeline.sources import avro, jsonl
from pipeline.sources.parquet import MANY_ROW_GROUPS, Footers, give_back_freed_memory, read_row_group
from pipeline.sources.records import ColumnMap, Piece, ReadPlan, schema_problems

_WILDCARD = re.compile(r"[*?\[]")
_MAGIC = {b"PAR1": "parquet", b"Obj\x01": "avro"}
_FOOTER_THREADS = 16
_LOAD_ROWS = 1000


@dataclasses.dataclass(frozen=True)
class WorkItem:
    """A piece of input that one worker reads: a row group, or a file whose format has none.

    Attributes:
        path: the file.
        format: parquet, avro or jsonl.
        row_group: the row group; -1 for a whole file.
        rows: how many rows it has; -1 where only reading tells.
        size_bytes: of its columns, uncompressed; of the file where that is read whole.
        label: what stands before the numbers of lines where these serve as ids.
    """

    path: str
    format: str
    row_group: int
    rows: int
    size_bytes: int
    label: str = ""

    @property
    def hash(self) -> int:
        """By which items are chosen where not all can be read again."""
        return zlib.crc32(f"{self.path}#{self.row_group}".encode("utf-8", "surrogatepass"))


@dataclasses.dataclass(frozen=True)
class InputFile:
    """A file that will be read.

    Attributes:
        path: where it is.
        size_bytes: how large it is.
        items: its work items, without empty row groups.
    """

    path: str
    size_bytes: int
    items: tuple[WorkItem, ...]


def find_inputs(
    patterns: Sequence[str], columns: ColumnMap, needs: frozenset[str] = LEAVES
) -> list[InputFile]:
    """All files that the patterns name, in order of their paths, with their work items.

    A pattern is a file, a directory (read with all below it) or a glob. Names that begin with `_`
    or `.`, and `.crc` files, are passed over unless a pattern names them in full.

    Args:
        patterns: what to read.
        columns: the columns of the files.
        needs: what is read of them; other columns may have any type.

    Raises:
        InvalidError: a pattern matches nothing, or a file cannot be read as trajectories.
    """
    problems: list[Problem] = []
    sizes: dict[str, int] = {}
    for pattern in patterns:
        try:
            found = _expand(pattern)
        except (OSError, ValueError) as error:  # A ValueError: no file system has such a scheme.
            problems.append(Problem(pattern, "", " ".join(f"cannot be listed: {error}".split())))
            continue
        if not found:
            what = "matches no file" if _WILDCARD.search(pattern) else "no such file or directory"
            problems.append(Problem(pattern, "", f"{what}; expected Parquet, Avro or JSON lines files"))
        sizes.update(found)
    paths = _distinct(sorted(sizes))
    with concurrent.futures.ThreadPoolExecutor(_FOOTER_THREADS) as pool:
        results = list(pool.map(lambda path: _inspect(path, sizes[path], columns, needs), paths))
    inputs: list[InputFile] = []
    for result in results:
        if isinstance(result, InputFile):
            inputs.append(result)
        else:
            problems += result
    if problems:
        raise InvalidError(problems)
    if any(len(file.items) > MANY_ROW_GROUPS for file in inputs):
        give_back_freed_memory()
    return _labelled(inputs)


def _labelled(inputs: list[InputFile]) -> list[InputFile]:
    """The files with labels for their lines: of several, each below the directory that all share."""
    if len(inputs) < 2 or all(item.format != "jsonl" for file in inputs for item in file.items):
        return inputs
    directories = [posixpath.dirname(file.path).split("/") for file in inputs]
    shared = len(os.path.commonprefix(directories))  # noqa: RUF071  (of components, not of characters)
    return [
        dataclasses.replace(file, items=tuple(_with_label(item, shared) for item in file.items))
        for file in inputs
    ]


def _with_label(item: WorkItem, shared: int) -> WorkItem:
    below = "/".join(item.path.split("/")[shared:])
    return dataclasses.replace(item, label=f"{replace_surrogates(below)}:")


def _expand(pattern: str) -> dict[str, int]:
    is_local = not files.is_remote(pattern)
    if is_local and os.path.isfile(pattern):  # Whatever its name looks like.
        return dict(files.glob(pattern))
    if is_local and os.path.isdir(pattern):
        return _walk(pattern)
    if pattern.endswith("/"):
        pattern += "**"
    elif not _WILDCARD.search(pattern):
        return dict(files.glob(pattern))
    return {path: size for path, size in files.glob(pattern) if not _is_hidden(path, pattern)}


def _walk(directory: str) -> dict[str, int]:
    """The files below a local directory, without hidden ones; links are followed, but never round."""
    found: dict[str, int] = {}
    seen = {os.path.realpath(directory)}
    for parent, directories, names in os.walk(directory, followlinks=True):
        shown = [name for name in sorted(directories) if not name.startswith(("_", "."))]
        places = {name: os.path.realpath(os.path.join(parent, name)) for name in shown}
        directories[:] = [name for name in shown if places[name] not in seen]
        seen.update(places.values())
        for name in names:
            if not name.startswith(("_", ".")) and not name.endswith(".crc"):
                path = os.path.join(parent, name)
                found[path] = os.path.getsize(path)
    return found


def _distinct(paths: list[str]) -> list[str]:
    """The paths without those that are another spelling of one before."""
    seen: dict[str, str] = {}
    for path in paths:
        seen.setdefault(path if files.is_remote(path) else os.path.realpath(path), path)
    return list(seen.values())


def _is_hidden(path: str, pattern: str) -> bool:
    fixed = posixpath.dirname(_WILDCARD.split(pattern, maxsplit=1)[0])
    names = path.removeprefix(fixed).strip("/").split("/")
    is_hidden = any(name.startswith(("_", ".")) and name not in (".", "..") for name in names)
    return is_hidden or path.endswith(".crc")


def _inspect(path: str, size: int, columns: ColumnMap, needs: frozenset[str]) -> InputFile | list[Problem]:
    if not files.is_remote(path) and not os.path.isfile(path):  # To open a pipe would wait for ever.
        return [Problem(path, "", "a pipe, device or socket; input is read twice, so save it as a file")]
    try:
        with files.open_read(path) as file:
            head = file.read(64)
            kind = _MAGIC.get(head[:4])
            file.seek(0)
            if kind == "parquet":
                return _inspect_parquet(path, size, pq.ParquetFile(file), columns, needs)
            if kind == "avro":
                schema = avro.arrow_schema(avro.read_schema(file))
                if problems := schema_problems(path, schema, columns, needs):
                    return problems
                return InputFile(path, size, (WorkItem(path, kind, -1, -1, size),))
            if jsonl.looks_like_lines(path, head):
                schema = jsonl.lines_schema(file, columns)
                if schema and (problems := schema_problems(path, schema, columns, needs)):
                    return problems
                return InputFile(path, size, (WorkItem(path, "jsonl", -1, -1, size),))
        what = "neither Parquet, Avro nor JSON lines; name the data files with a glob"
        return [Problem(path, "", what)]
    except Exception as error:  # noqa: BLE001  (damage shows in as many ways as there are codecs)
        reason = " ".join(str(error).split())
        return [
            Problem(
                path, "", f"cannot be read; a whole Parquet, Avro or JSON lines file was expected: {reason}"
            )
        ]


def _inspect_parquet(
    path: str, size: int, file: pq.ParquetFile, columns: ColumnMap, needs: frozenset[str]
) -> InputFile | list[Problem]:
    if problems := schema_problems(path, file.schema_arrow, columns, needs):
        return problems
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    items = tuple(
        WorkItem(path, "parquet", number, group.num_rows, group.total_byte_size)
        for number, group in enumerate(groups)
        if group.num_rows
    )
    return InputFile(path, size, items)


def known_rows(inputs: Iterable[InputFile]) -> int | None:
    """How many rows the files have; None where only reading tells."""
    rows = [item.rows for file in inputs for item in file.items]
    return None if any(count < 0 for count in rows) else sum(rows)


def work_loads(inputs: Iterable[InputFile]) -> list[tuple[WorkItem, ...]]:
    """The work items of some files; small row groups that follow each other are taken together.

    For each load its file is opened, and the footer read, which is as long as the file has row groups.
    """
    loads: list[list[WorkItem]] = []
    for file in inputs:
        rows = 0
        for number, item in enumerate(file.items):
            if number == 0 or item.rows < 0 or rows + item.rows > _LOAD_ROWS:
                loads.append([])
                rows = 0
            loads[-1].append(item)
            rows += item.rows
    return [tuple(load) for load in loads]


def read_pieces(
    item: WorkItem, file: IO[bytes], plan: ReadPlan, footers: Footers | None = None
) -> Iterator[Piece]:
    """The pieces of a work item, from its open file.

    Args:
        item: the work item.
        file: its file.
        plan: what to read.
        footers: those of the files before, where several work items are read.

    Raises:
        Exception: of whatever kind the damage has.
    """
    if item.format == "avro":
        return avro.read_avro(file, plan)
    if item.format == "jsonl":
        return jsonl.read_lines(file, plan, item.label)
    return read_row_group(file, item.row_group, plan, (footers or Footers()).of(item.path, file))
