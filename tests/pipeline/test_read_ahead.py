"""Reading ahead gives every piece once, in order, and hands on what goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.transforms.read_ahead import ReadAhead


def _count(item: int) -> Iterator[str]:
    for piece in range(item):
        yield f"{item}.{piece}"


@settings(max_examples=25)
@given(items=st.lists(st.integers(0, 4), max_size=6))
def test_pieces_come_in_order(items: list[int]) -> None:
    ahead: ReadAhead[int, str] = ReadAhead(_count)
    found = [piece for item in items for piece in ahead.push(item)]
    found += ahead.drain()
    ahead.close()
    assert found == [piece for item in items for piece in _count(item)]


def test_an_error_is_raised_where_its_piece_would_be() -> None:
    def read(item: int) -> Iterator[int]:
        yield item
        raise OSError(f"item {item} is damaged")

    ahead: ReadAhead[int, int] = ReadAhead(read)
    assert list(ahead.push(1)) == []
    pieces = ahead.drain()
    assert next(pieces) == 1
    with pytest.raises(OSError, match="item 1 is damaged"):
        next(pieces)
    ahead.close()


def test_nothing_is_read_once_it_is_closed() -> None:
    """A bundle that failed may have left a large file half read."""
    read: list[int] = []
    may_go_on = threading.Event()

    def numbers(item: int) -> Iterator[int]:
        for number in range(item):
            if number:
                may_go_on.wait(10)
            read.append(number)
            yield number

    ahead: ReadAhead[int, int] = ReadAhead(numbers)
    assert list(ahead.push(100)) == []
    assert next(ahead.drain()) == 0
    ahead.close()
    may_go_on.set()
    for thread in threading.enumerate():
        if thread.name == "read-ahead":
            thread.join(timeout=10)
    assert len(read) <= 2


def test_closing_early_ends_the_thread() -> None:
    before = threading.active_count()
    ahead: ReadAhead[int, str] = ReadAhead(_count)
    assert list(ahead.push(100)) == []
    assert next(ahead.drain()) == "100.0"
    ahead.close()
    for thread in threading.enumerate():
        if thread.name == "read-ahead":
            thread.join(timeout=10)
    assert threading.active_count() <= before
