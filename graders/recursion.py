"""Room on the stack, so that what a check says does not depend on how deep its caller stands."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Generator

_LOCK = threading.RLock()  # The limit is one for all threads: none may put it back under another.


@contextlib.contextmanager
def room_for(frames: int) -> Generator[None]:
    """Let what runs inside nest so many frames deeper than where it begins."""
    with _LOCK:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _depth() + frames))
        try:
            yield
        finally:
            sys.setrecursionlimit(limit)


def _depth() -> int:
    frame, depth = sys._getframe(), 0  # noqa: SLF001  (inspect.stack reads source files)
    while (outer := frame.f_back) is not None:
        frame, depth = outer, depth + 1
    return depth
