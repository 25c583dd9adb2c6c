"""An object store as Beam sees one: flat names, no directories, a rename that copies and deletes."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator
from typing import Any

from apache_beam.io.filesystem import BeamIOError, FileMetadata, FileSystem

OBJECTS: dict[str, bytes] = {}
"""The objects of all buckets by their URL."""

FAILING: set[str] = set()
"""Texts; an object with one of them in its name cannot be written."""


class _Upload(io.BytesIO):
    """An object that appears when it is closed."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def close(self) -> None:
        if not self.closed:
            OBJECTS[self._path] = self.getvalue()
        super().close()


class BucketFileSystem(FileSystem):
    """Beam finds it by its scheme; it lives in this process alone."""

    @classmethod
    def scheme(cls) -> str:
        return "bucket"

    def join(self, basepath: str, *paths: str) -> str:
        return posixpath.join(basepath, *paths)

    def split(self, path: str) -> tuple[str, str]:
        return posixpath.split(path)

    def mkdirs(self, path: str) -> None:
        raise AssertionError("an object store has no directories")

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        for path, data in sorted(OBJECTS.items()):
            if path.startswith(dir_or_prefix):
                yield FileMetadata(path, len(data))

    def create(self, path: str, *_: Any, **__: Any) -> io.BytesIO:
        if any(text in path for text in FAILING):
            raise OSError(28, "No space left on device", path)
        return _Upload(path)

    def open(self, path: str, *_: Any, **__: Any) -> io.BytesIO:
        if path not in OBJECTS:
            raise FileNotFoundError(path)
        return io.BytesIO(OBJECTS[path])

    def copy(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, target in zip(source_file_names, destination_file_names, strict=True):
            OBJECTS[target] = OBJECTS[source]

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        self.copy(source_file_names, destination_file_names)
        self.delete(source_file_names)

    def exists(self, path: str) -> bool:
        return path in OBJECTS

    def size(self, path: str) -> int:
        return len(OBJECTS[path])

    def last_updated(self, path: str) -> float:
        return 0.0

    def checksum(self, path: str) -> str:
        return str(hash(OBJECTS[path]))

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, len(OBJECTS[path]))

    def delete(self, paths: list[str]) -> None:
        if gone := {path: KeyError(path) for path in paths if OBJECTS.pop(path, None) is None}:
            raise BeamIOError("not there", gone)
