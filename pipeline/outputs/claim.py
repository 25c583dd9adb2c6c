"""The claim to an output directory: while one run holds it, no other writes there."""

from __future__ import annotations

import contextlib
import datetime
import errno
import logging
import os
import platform
from collections.abc import Generator

from pipeline import files
from pipeline.errors import InvalidError, invalid

_CLAIM = ".claim"
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_MOST_TRIES = 100
_LOGGER = logging.getLogger(__name__)


@contextlib.contextmanager
def claimed(output: str, run_id: str) -> Generator[None]:
    """Hold an output directory, which is made where it is missing.

    The claim is a lock of the operating system on a file in the directory, which says who holds it. So it
    ends with the process, however that ends, and it holds on other machines that share the file system.
    Where there are no locks, as on object stores, nothing is held.

    Args:
        output: the directory.
        run_id: who claims it.

    Raises:
        InvalidError: another run holds it, or it cannot be made.
    """
    if files.is_remote(output):
        yield
        return
    path = os.path.join(output, _CLAIM)
    try:
        files.make_directory(output)
        lock = _lock(path)
    except BlockingIOError as error:
        raise _refusal(output, path) from error
    except OSError as error:
        raise invalid(output, f"the output directory cannot be made: {error.strerror or error}") from error
    try:
        with contextlib.suppress(OSError):  # A full disk; what stands there is for people alone.
            _write_owner(lock, run_id)
        yield
    finally:
        # Removed while it is held: whoever has opened it meanwhile finds that it is no longer the one there.
        files.delete(path)
        os.close(lock)


def _lock(path: str) -> int:
    """The descriptor of the file of that path, locked.

    Raises:
        BlockingIOError: another process has locked it.
        OSError: it cannot be made.
    """
    for _ in range(_MOST_TRIES):
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _hold(lock)
            if _is_at(lock, path):
                return lock
        except OSError as error:
            if error.errno in _NO_LOCKS:
                _LOGGER.warning("%s: no locks here; nothing keeps another run from writing there", path)
                return lock
            os.close(lock)
            raise
        os.close(lock)  # Its owner has ended, and removed it, between the two calls.
    raise BlockingIOError(errno.EAGAIN, "claimed by others, one after the other", path)


def _hold(lock: int) -> None:
    """Lock an open file.

    Raises:
        BlockingIOError: another process has locked it.
        OSError: it cannot be locked.
    """
    try:
        import fcntl  # noqa: PLC0415  (Windows has none, where even --help would fail)
    except ImportError as error:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from error
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _write_owner(lock: int, run_id: str) -> None:
    since = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    os.truncate(lock, 0)
    os.write(lock, f"{run_id}, process {os.getpid()} on {platform.node()}, since {since}".encode())


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _refusal(output: str, path: str) -> InvalidError:
    """What another run is told, with the name of the one that holds the claim."""
    try:
        with open(path, encoding="utf-8") as file:
            owner = file.read()
    except OSError:  # It has just ended.
        owner = ""
    who = f"another run ({owner})" if owner else "another run"
    return invalid(output, f"{who} is writing there; wait for its end, or choose another directory")
