"""Reading one piece ahead of the grading, in a thread: Arrow reads without holding the GIL."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
Piece = TypeVar("Piece")

_END = object()
_POLL_SECONDS = 0.2


class ReadAhead(Generic[Item, Piece]):
    """Iterates over the pieces of items, while the next piece is read in a thread.

    The pieces of an item are given once the next item is known, so that the thread goes on with
    that one: call `push` for each item, `drain` after the last, and `close` in any case.
    """

    def __init__(self, read: Callable[[Item], Iterator[Piece]]) -> None:
        """Read the pieces of an item with `read`."""
        self._read = read
        self._items: queue.SimpleQueue[Item | object] = queue.SimpleQueue()
        self._pieces: queue.Queue[object] = queue.Queue(maxsize=1)
        self._waiting = 0
        self._is_closed = threading.Event()
        threading.Thread(target=self._run, name="read-ahead", daemon=True).start()

    def push(self, item: Item) -> Iterator[Piece]:
        """Begin to read an item, and give the pieces of the one before."""
        self._items.put(item)
        self._waiting += 1
        if self._waiting > 1:
            yield from self._next_item()

    def drain(self) -> Iterator[Piece]:
        """Give the pieces of the last item."""
        while self._waiting:
            yield from self._next_item()

    def close(self) -> None:
        """Stop reading; what was read and not given is dropped."""
        self._is_closed.set()
        self._items.put(_END)

    def _next_item(self) -> Iterator[Piece]:
        self._waiting -= 1
        while (piece := self._pieces.get()) is not _END:
            if isinstance(piece, BaseException):
                raise piece
            yield piece  # type: ignore[misc]  # whatever is neither end nor error is a piece

    def _run(self) -> None:
        while (item := self._items.get()) is not _END:
            try:
                for piece in self._read(item):  # type: ignore[arg-type]  # whatever is not the end is an item
                    self._give(piece)
            except BaseException as error:  # noqa: BLE001  (raised again where the pieces are taken)
                self._give(error)
            self._give(_END)

    def _give(self, piece: object) -> None:
        while not self._is_closed.is_set():
            try:
                self._pieces.put(piece, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return
