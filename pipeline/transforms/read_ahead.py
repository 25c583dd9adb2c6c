"""Reading ahead of the grading, in threads: Arrow reads without holding the GIL."""

import collections
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
Piece = TypeVar("Piece")

_END = object()
_POLL_SECONDS = 0.2
# Reading takes about as long as grading, or longer from an object store, where two reads overlap.
_THREADS = 2


class _Reading(Generic[Item]):
    """An item, and the pieces of it that wait: one at a time, so that memory stays bounded."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.pieces: queue.Queue[object] = queue.Queue(maxsize=1)


class ReadAhead(Generic[Item, Piece]):
    """Iterates over the pieces of items in their order, while the next ones are read in threads.

    The pieces of an item are given once the next items are known, so that the threads go on with
    those: call `push` for each item, `drain` after the last, and `close` in any case.
    """

    def __init__(self, read: Callable[[Item], Iterator[Piece]]) -> None:
        """Read the pieces of an item with `read`."""
        self._read = read
        self._ahead: queue.SimpleQueue[_Reading[Item] | None] = queue.SimpleQueue()
        self._begun: collections.deque[_Reading[Item]] = collections.deque()
        self._is_closed = threading.Event()
        for _ in range(_THREADS):
            threading.Thread(target=self._run, name="read-ahead", daemon=True).start()

    def push(self, item: Item) -> Iterator[Piece]:
        """Begin to read an item, and give the pieces of the oldest once every thread has one more."""
        reading = _Reading(item)
        self._begun.append(reading)
        self._ahead.put(reading)
        if len(self._begun) > _THREADS:
            yield from self._next_item()

    def drain(self) -> Iterator[Piece]:
        """Give the pieces of the last items."""
        while self._begun:
            yield from self._next_item()

    def close(self) -> None:
        """Stop reading; what was read and not given is dropped."""
        self._is_closed.set()
        for _ in range(_THREADS):
            self._ahead.put(None)

    def _next_item(self) -> Iterator[Piece]:
        pieces = self._begun.popleft().pieces
        while (piece := pieces.get()) is not _END:
            if isinstance(piece, BaseException):
                raise piece
            yield piece  # type: ignore[misc]  # whatever is neither end nor error is a piece

    def _run(self) -> None:
        while (reading := self._ahead.get()) is not None:
            try:
                for piece in self._read(reading.item):
                    self._give(reading, piece)
                    if self._is_closed.is_set():
                        return
            except BaseException as error:  # noqa: BLE001  (raised again where the pieces are taken)
                self._give(reading, error)
            self._give(reading, _END)

    def _give(self, reading: _Reading[Item], piece: object) -> None:
        while not self._is_closed.is_set():
            try:
                reading.pieces.put(piece, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return
