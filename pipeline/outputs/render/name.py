"""Names in tables of the terminal: whole where there is room, else folded where they have joints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

from pipeline.outputs.visible_text import visible_line

_JOINTS = re.compile(r"(?<=[\s._/:=-])(?![\s._/:=-])")


class Name:
    """A renderable name of a check, a directory or the like, with escapes for what cannot be seen."""

    def __init__(self, text: str, notes: Sequence[str] = ()) -> None:
        """A name, and below it notes in a fainter style."""
        self._pieces = [piece for piece in _JOINTS.split(visible_line(text)) if piece]
        self._notes = [f"{visible_line(note)}, " for note in notes]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """As narrow as the longest piece, and as wide as the whole name or all notes beside each other."""
        narrow = max(map(_width, self._pieces), default=0)
        wide = max(_width("".join(part)) for part in (self._pieces, self._notes))
        return Measurement(narrow, wide).clamp(0, options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Its lines."""
        for line in _folded(self._pieces, options.max_width):
            yield Text(line.rstrip())
        for line in _folded(self._notes, options.max_width):
            yield Text(line.removesuffix(", "), style="dim")


def _folded(pieces: Sequence[str], width: int) -> list[str]:
    """Pieces in lines, each behind the one before where there is room for it."""
    lines: list[str] = []
    for piece in pieces:
        if lines and _width(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines += chop_cells(piece, width) if _width(piece) > width else [piece]
    return lines


def _width(text: str) -> int:
    return cell_len(text.rstrip(", "))
