"""Reading one batch ahead of the grading, in a thread: Arrow reads without holding the GIL."""

import concurrent.futures
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
Batch = TypeVar("Batch")


class ReadAhead(Generic[Item, Batch]):
    """Iterates over the batches of items, while the next batch is read in a thread.

    An item is held back until the next one is known, so that the first batch of the one is read
    while the last batch of the other is in use: call `push` for each item and `drain` at the end.
    """

    def __init__(self, read: Callable[[Item], Iterator[Batch]]) -> None:
        """Read the batches of an item with `read`."""
        self._read = read
        self._thread = concurrent.futures.ThreadPoolExecutor(1)
        self._held: _Ahead[Batch] | None = None

    def push(self, item: Item) -> Iterator[Batch]:
        """Begin to read an item, and give the batches of the one before."""
        begun = _Ahead(self._read(item), self._thread)
        held, self._held = self._held, begun
        if held is not None:
            yield from held

    def drain(self) -> Iterator[Batch]:
        """Give the batches of the last item."""
        held, self._held = self._held, None
        if held is not None:
            yield from held

    def close(self) -> None:
        """Stop reading."""
        self._held = None
        self._thread.shutdown(wait=False, cancel_futures=True)


class _Ahead(Generic[Batch]):
    _END = object()

    def __init__(
        self, batches: Iterator[Batch], thread: concurrent.futures.ThreadPoolExecutor
    ) -> None:
        self._batches = batches
        self._thread = thread
        self._next = self._submit()

    def _submit(self) -> concurrent.futures.Future[object]:
        return self._thread.submit(next, self._batches, self._END)

    def __iter__(self) -> Iterator[Batch]:
        while (batch := self._next.result()) is not self._END:
            self._next = self._submit()
            yield batch  # type: ignore[misc]  # whatever is not the end is a batch
