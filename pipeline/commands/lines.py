"""Lines and tables on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.text import Text

from pipeline.outputs.visible_text import visible

_WIDEST = 160
"""Columns of a table in a log or a pipe, which have no width of their own."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Print no more, and go on: what a command finds decides its exit code, whoever reads of it."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


def print_table(table: RenderableType) -> None:
    """Print a table, as wide as the terminal or less; whole where there is none and COLUMNS is not set."""
    console = _Console(soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        wanted = Measurement.get(console, console.options.update(max_width=_WIDEST), table).maximum
        console.width = max(console.width, wanted)
    console.print(table)


def print_lines(lines: Iterable[str | Text], file: TextIO | None = None) -> None:
    """Print lines whole, however long: a terminal folds them, and a log keeps them greppable.

    Args:
        lines: texts, in which what cannot be seen is shown as an escape, and rich ones, which are
            printed as they are.
        file: where to; None for stdout.
    """
    console = _Console(file=file or sys.stdout, soft_wrap=True, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(visible(line) if isinstance(line, str) else line)
