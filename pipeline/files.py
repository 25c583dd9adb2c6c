"""Files on any file system that Beam knows: local paths, gs://, s3:// and others.

Beam's file systems are imported on first use, so that a local spec is validated without Beam.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
from typing import IO, Any

from pipeline.errors import invalid


def is_remote(path: str) -> bool:
    """Whether a path names its file system, as `gs://bucket/x` does."""
    return "://" in path


def absolute(path: str, directory: str) -> str:
    """A path for workers, which start elsewhere: a relative one is below `directory`."""
    return path if is_remote(path) else os.path.join(directory, path)


def _filesystems() -> Any:
    from apache_beam.io.filesystems import FileSystems  # noqa: PLC0415  (see above)

    return FileSystems


def read_bytes(path: str, what: str) -> bytes:
    """The bytes of a small file that the user named.

    Raises:
        InvalidError: it is not there or cannot be read.
    """
    try:
        if not is_remote(path):
            return pathlib.Path(path).read_bytes()
        with open_read(path) as file:
            return file.read()
    except FileNotFoundError as error:
        is_relative = not is_remote(path) and not pathlib.Path(path).is_absolute()
        where = f" below {pathlib.Path.cwd()}, where the command was started" if is_relative else ""
        raise invalid(path, f"no such {what} file{where}") from error
    except IsADirectoryError as error:
        raise invalid(path, f"a directory, but a {what} file was expected") from error
    except (OSError, ValueError) as error:  # A ValueError: no file system has such a scheme.
        raise invalid(path, f"the {what} file cannot be read: {error}") from error


def open_read(path: str) -> IO[bytes]:
    """Open a file for random access reading, never decompressed by its name."""
    from apache_beam.io.filesystem import CompressionTypes  # noqa: PLC0415  (see above)

    return _filesystems().open(path, compression_type=CompressionTypes.UNCOMPRESSED)


def open_write(path: str) -> IO[bytes]:
    """Create a file; on object stores it appears when it is closed.

    A local directory must be there: a worker that outlives its run shall not make it again.
    """
    if not is_remote(path):
        return open(path, "wb")
    from apache_beam.io.filesystem import CompressionTypes  # noqa: PLC0415  (see above)

    return _filesystems().create(path, compression_type=CompressionTypes.UNCOMPRESSED)


def write_text(path: str, text: str) -> None:
    """Write a small text file, UTF-8."""
    with open_write(path) as file:
        file.write(text.encode())


def join(base: str, *names: str) -> str:
    """A path below `base`."""
    return _filesystems().join(base, *names)


def make_directory(path: str) -> None:
    """Create a directory and its parents where the file system has directories."""
    if not is_remote(path):
        pathlib.Path(path).mkdir(parents=True, exist_ok=True)


def glob(pattern: str) -> list[tuple[str, int]]:
    """The files that a glob matches, as (path, bytes), sorted by path; a local file of that name is it."""
    if not is_remote(pattern) and os.path.isfile(pattern):
        return [(pattern, os.path.getsize(pattern))]
    is_bare = not is_remote(pattern) and "/" not in pattern  # Beam needs a directory to look into.
    (match,) = _filesystems().match([f"./{pattern}" if is_bare else pattern])
    return sorted(
        (found.path.removeprefix("./") if is_bare else found.path, found.size_in_bytes)
        for found in match.metadata_list
    )


def list_names(directory: str, prefix: str, suffix: str) -> list[str]:
    """The names of the files in a directory that begin and end so, sorted."""
    if not is_remote(directory):
        names = os.listdir(directory)
    else:
        names = [path.rsplit("/", 1)[-1] for path, _ in glob(join(directory, f"{prefix}*{suffix}"))]
    return sorted(name for name in names if name.startswith(prefix) and name.endswith(suffix))


def exists(path: str) -> bool:
    """Whether a file or directory is there."""
    return _filesystems().exists(path) if is_remote(path) else os.path.lexists(path)


def rename(source: str, target: str) -> None:
    """Move one file; within a local file system this is atomic, an object store copies and deletes."""
    if is_remote(target):
        _filesystems().rename([source], [target])
    else:
        make_directory(str(pathlib.Path(target).parent))
        os.replace(source, target)


def below(directory: str) -> list[str]:
    """The paths of all files below a remote directory, whether it is a directory there or but a prefix."""
    return [path for path, _ in glob(f"{directory.rstrip('/')}/**")]


def delete(*paths: str) -> None:
    """Delete files or directories with all they hold; those that are not there are passed over."""
    for path in paths:
        if is_remote(path):
            # An object store has no directories, so that nothing is there under the name of one.
            if found := [*below(path), *([path] if exists(path) else [])]:
                _filesystems().delete(found)
        elif not exists(path):
            continue
        elif os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


def delete_empty(directory: str) -> None:
    """Delete a local directory if it holds nothing; object stores have no directories."""
    if not is_remote(directory):
        with contextlib.suppress(OSError):  # It holds something, or is gone.
            os.rmdir(directory)
