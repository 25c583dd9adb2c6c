"""The mutants: each a text of a file of `graders/`, and the mistake that takes its place."""

from __future__ import annotations

import ast
import dataclasses
import functools
import pathlib

import yaml

ROOT = pathlib.Path(__file__).parents[2]


class StaleError(ValueError):
    """A mutant that no longer fits the code that it is a mistake in."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A mistake that the tests must see.

    Attributes:
        name: unique over all files, a lower-case slug.
        file: the file, from the root of the project.
        original: the text that is right; it occurs there exactly once.
        replacement: the text that is wrong.
        meaning: what would be wrong with the verdicts.
        tests: the tests that must see it, as one gives them to pytest in `tests/graders`.
    """

    name: str
    file: str
    original: str
    replacement: str
    meaning: str
    tests: str

    def applied_to(self, source: str) -> str:
        """The source with the mistake in it.

        Raises:
            StaleError: the original text does not occur exactly once, or the result is no Python.
        """
        count = source.count(self.original)
        if count != 1:
            raise StaleError(f"{self.name}: its original text occurs {count} times in {self.file}")
        mutated = source.replace(self.original, self.replacement)
        try:
            ast.parse(mutated)
        except SyntaxError as error:
            raise StaleError(f"{self.name}: {self.file} is no Python with it: {error}") from error
        return mutated


@functools.cache
def all_mutants() -> tuple[Mutant, ...]:
    """Every mutant of `tests/mutants/*.yaml`, in the order of the files."""
    return tuple(
        Mutant(**item)
        for path in sorted(pathlib.Path(__file__).parent.glob("*.yaml"))
        for item in yaml.safe_load(path.read_text(encoding="utf-8"))
    )
