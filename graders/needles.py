"""Needles: what a check looks for in texts, a literal or a regular expression."""

from __future__ import annotations

import dataclasses

import numpy as np

from graders.arrays import Mask
from graders.patterns import Pattern
from graders.text import Text
from graders.values import cut, json_text, quote


@dataclasses.dataclass(frozen=True)
class Literal:
    """A text that is looked for as it is, or with both sides case-folded."""

    text: str
    is_case_sensitive: bool

    def search(self, texts: Text) -> tuple[Mask, Mask]:
        """In which texts it is, and in which the search ran into its limit (none)."""
        contains = texts.contains if self.is_case_sensitive else texts.contains_folded
        return contains(self.text), np.zeros(len(texts), np.bool_)

    @property
    def shown(self) -> str:
        """How evidence names it: `contains "x"`."""
        return f"contains {quote(self.text)}"

    @property
    def shown_absent(self) -> str:
        """How evidence denies it: `does not contain "x"`."""
        return f"does not contain {quote(self.text)}"

    def near_misses(self, texts: Text, among: Mask) -> list[tuple[Mask, str]]:
        """Of the texts in `among`, which do not have it, those that nearly do, and in what way."""
        found: list[tuple[Mask, str]] = []
        if not among.any():
            return found
        if self.is_case_sensitive:
            found.append((among & texts.contains_folded(self.text), "it differs only in case"))
        compared, wanted = (
            (texts, self.text) if self.is_case_sensitive else (texts.folded(), self.text.casefold())
        )
        after_nfc = compared.contains_after_nfc(among, [wanted], np.zeros(len(texts), np.int32))
        found.append((after_nfc, "it would after NFC normalisation"))
        return found


@dataclasses.dataclass(frozen=True)
class Expression:
    """A regular expression that is searched for."""

    pattern: Pattern

    def search(self, texts: Text) -> tuple[Mask, Mask]:
        """In which texts it is found, and in which the search ran into its limit."""
        return texts.search(self.pattern)

    @property
    def shown(self) -> str:
        """How evidence names it: `matches "x"`, the pattern as a JSON string."""
        return f"matches {cut(json_text(self.pattern.source))}"

    @property
    def shown_absent(self) -> str:
        """How evidence denies it: `does not match "x"`."""
        return f"does not match {cut(json_text(self.pattern.source))}"

    def near_misses(self, texts: Text, among: Mask) -> list[tuple[Mask, str]]:
        """None: what nearly matches a pattern is no simple matter."""
        del texts, among
        return []


Needle = Literal | Expression
