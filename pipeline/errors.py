"""What can be wrong with a command, a spec, a job or an input, told to its user."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Sequence


@dataclasses.dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, at which path, and what was expected.

    Attributes:
        where: `file:line`, or the file alone.
        path: such as `checks[2].config.value`; empty for the file as a whole.
        message: what is wrong and what was expected.
    """

    where: str
    path: str
    message: str

    @property
    def line(self) -> int:
        """The line, where `where` has one; else 0."""
        _, _, line = self.where.rpartition(":")
        return int(line) if line.isdigit() else 0

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.path, self.message) if part)


class InvalidError(Exception):
    """The command, a spec, a job or the input is invalid; nothing was graded (exit code 2).

    Attributes:
        problems: everything that was found, in the order of the file.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


class RunError(Exception):
    """The run failed, or its accounts do not add up; its outputs are incomplete (exit code 3)."""


def invalid(where: str, message: str, path: str = "") -> InvalidError:
    """An `InvalidError` with one problem."""
    return InvalidError([Problem(where, path, message)])


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint such as ` (did you mean 'a', 'b'?)`, or nothing where no name is near."""
    folded = {candidate.casefold(): candidate for candidate in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if not found:
        return ""
    return f" (did you mean {', '.join(repr(folded[candidate]) for candidate in found)}?)"
