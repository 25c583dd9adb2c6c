"""Progress of a local run: rows, rate and time to go, from the lines that workers append to a file."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import time
from collections.abc import Generator, Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from pipeline.sources.inputs import InputFile, known_rows

_POLL_SECONDS = 0.25
_BAR_AFTER_SECONDS = 1.0  # A run that ends sooner needs none.
_LOG_AFTER_SECONDS = 10.0
_MOST_SECONDS_APART = 300.0  # Lines come ever less often, up to this.


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much there is to grade, as far as it is known beforehand.

    Attributes:
        rows: how many rows; None where only reading tells.
        read_bytes: how many bytes the files have; None where they are not read from begin to end.
    """

    rows: int | None
    read_bytes: int | None = None

    @classmethod
    def of(cls, inputs: Sequence[InputFile]) -> Extent:
        """The extent of some files."""
        is_read_whole = all(item.format != "parquet" for file in inputs for item in file.items)
        size = sum(file.size_bytes for file in inputs) if is_read_whole else None
        return cls(known_rows(inputs), size)


@contextlib.contextmanager
def show_progress(path: str, extent: Extent, console: Console) -> Generator[None]:
    """Show the progress of what runs inside, a bar on a terminal and a line now and then elsewhere.

    Of what ends at once nothing is shown.

    Args:
        path: the local file to which each batch adds a line with its rows and their bytes.
        extent: how much there is.
        console: where to.
    """
    stop = threading.Event()
    watch = _watch_bar if console.is_terminal else _watch_lines
    thread = threading.Thread(target=watch, args=(_Tail(path, extent), console, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _watch_bar(tail: _Tail, console: Console, stop: threading.Event) -> None:
    columns = (
        TextColumn("grading"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rows]} rows"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    if stop.wait(_BAR_AFTER_SECONDS):
        return
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None, rows="0", rate="")
        while not stop.wait(_POLL_SECONDS):
            tail.read()
            total = None if tail.share is None else 1.0
            progress.update(
                task, total=total, completed=tail.share or 0, rows=f"{tail.rows:,}", rate=tail.rate
            )


def _watch_lines(tail: _Tail, console: Console, stop: threading.Event) -> None:
    seconds = _LOG_AFTER_SECONDS
    while not stop.wait(seconds):
        tail.read()
        console.print(tail.sentence, highlight=False, soft_wrap=True)
        seconds = min(2 * seconds, _MOST_SECONDS_APART)


class _Tail:
    """Adds up the numbers in a file that grows.

    Attributes:
        rows: how many rows were graded.
    """

    def __init__(self, path: str, extent: Extent) -> None:
        self._path = path
        self._extent = extent
        self._at = 0
        self._read_bytes = 0
        self._began = time.monotonic()
        self.rows = 0

    def read(self) -> None:
        """Read what was added."""
        if not os.path.exists(self._path):
            return
        with open(self._path, "rb") as file:
            file.seek(self._at)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        numbers = list(map(int, whole.split()))
        self.rows += sum(numbers[::2])
        self._read_bytes += sum(numbers[1::2])

    @property
    def share(self) -> float | None:
        """How much of all is graded, from 0 to 1; None where nothing tells."""
        done, total = self.rows, self._extent.rows
        if total is None:
            done, total = self._read_bytes, self._extent.read_bytes
        return min(done / total, 1.0) if total else None

    @property
    def rate(self) -> str:
        """Rows per second."""
        return f"{self.rows / max(time.monotonic() - self._began, 1e-9):,.0f} rows/s"

    @property
    def sentence(self) -> str:
        """How far it is."""
        of_all = "" if self._extent.rows is None else f" of {self._extent.rows:,}"
        if not self.share:
            return f"graded {self.rows:,}{of_all} rows, {self.rate}"
        to_go = (time.monotonic() - self._began) * (1 - self.share) / self.share
        return (
            f"graded {self.rows:,}{of_all} rows, {100 * self.share:.0f} %, {self.rate}, {to_go:,.0f} s to go"
        )
