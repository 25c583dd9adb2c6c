"""Lines of text on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from pipeline.outputs.visible_text import visible


def print_lines(lines: Iterable[str | Text], file: TextIO | None = None) -> None:
    """Print lines whole, however long: a terminal folds them, and a log keeps them greppable.

    Args:
        lines: texts, in which what cannot be seen is shown as an escape, and rich ones, which are
            printed as they are.
        file: where to; None for stdout.
    """
    console = Console(file=file or sys.stdout, soft_wrap=True, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(visible(line) if isinstance(line, str) else line)
