"""Progress of a local run: rows, rate and time to go, from the lines that workers append."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Generator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

_POLL_SECONDS = 0.25
_LOG_SECONDS = 10.0


@contextlib.contextmanager
def show_progress(path: str, total: int | None, console: Console) -> Generator[None]:
    """Show the progress of what runs inside, a bar on a terminal and a line now and then elsewhere.

    Args:
        path: the local file to which each batch adds a line with its rows.
        total: the rows in all; None where only reading tells.
        console: where to.
    """
    stop = threading.Event()
    watch = _watch_bar if console.is_terminal else _watch_lines
    thread = threading.Thread(target=watch, args=(path, total, console, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _watch_bar(path: str, total: int | None, console: Console, stop: threading.Event) -> None:
    columns = (
        TextColumn("grading"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rows]} rows"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    tail = _Tail(path)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total, rows="0", rate="")
        while not stop.wait(_POLL_SECONDS):
            rows = tail.rows()
            progress.update(task, completed=rows, rows=f"{rows:,}", rate=tail.rate(rows))


def _watch_lines(path: str, total: int | None, console: Console, stop: threading.Event) -> None:
    tail = _Tail(path)
    while not stop.wait(_LOG_SECONDS):
        rows = tail.rows()
        share = f" of {total:,}" if total is not None else ""
        to_go = tail.to_go(rows, total)
        console.print(f"graded {rows:,}{share} rows, {tail.rate(rows)}{to_go}", highlight=False)


class _Tail:
    """Adds up the numbers in a file that grows."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._at = 0
        self._rows = 0
        self._began = time.monotonic()

    def rows(self) -> int:
        if os.path.exists(self._path):
            with open(self._path, "rb") as file:
                file.seek(self._at)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._at += len(whole)
            self._rows += sum(map(int, whole.split()))
        return self._rows

    def rate(self, rows: int) -> str:
        return f"{rows / max(time.monotonic() - self._began, 1e-9):,.0f} rows/s"

    def to_go(self, rows: int, total: int | None) -> str:
        if total is None or not rows:
            return ""
        seconds = (total - rows) * (time.monotonic() - self._began) / rows
        return f", {seconds:,.0f} s to go"
