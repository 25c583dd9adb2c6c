"""Texts: a string column of a batch and the questions that checks ask of it."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import ahocorasick_rs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import re2

from graders.arrays import Codes, Mask, Positions, decode, encode, not_null, to_mask, to_texts
from graders.patterns import SECONDS_PER_TEXT, Pattern, compiled_fallback

if TYPE_CHECKING:
    from graders.batch import TrajectoryBatch

# Longer literals may exceed the memory that RE2 allows a program.
_LONGEST_COMPILED_LITERAL = 1000

# A literal is looked for in all texts at once, twenty times faster than in one after the other, unless there
# are so many hits that to list them costs more: short ones, and those that the first bytes are full of.
_SHORTEST_JOINED = 3
_PROBE_BYTES = 1 << 14
_MOST_HITS_IN_PROBE = 100


@dataclasses.dataclass(frozen=True)
class Captures:
    """What a pattern captured in each text.

    Attributes:
        values: bytes per text; empty where there is no match, or an empty or unmatched group.
        is_timeout: bool per text, whether the search ran into its limit.
    """

    values: list[bytes]
    is_timeout: Mask


class Text:
    """A string array aligned with the rows of a batch or with a selection; null is no text.

    A text with a key shares what is derived from it with every other one of the same key.
    """

    __slots__ = ("_key", "array", "batch")

    def __init__(self, batch: TrajectoryBatch, array: pa.Array, key: Hashable | None = None) -> None:
        self.batch = batch
        self.array = array
        self._key = key

    def __len__(self) -> int:
        return len(self.array)

    def _derive(self, name: Hashable, compute: Callable[[], object]) -> object:
        return compute() if self._key is None else self.batch.memo((name, self._key), compute)

    def contains(self, literal: str) -> Mask:
        """Which texts contain the literal, compared by code points."""
        needle = encode(literal)
        joined, starts = self._joined()
        if len(needle) >= _SHORTEST_JOINED and not _is_frequent(needle, joined):
            hits = [
                start for _, start, _ in _searcher(needle).find_matches_as_indexes(joined, overlapping=True)
            ]
            texts = np.searchsorted(starts, hits, "right") - 1
            found = np.zeros(len(self), np.bool_)
            found[texts[np.array(hits, np.int64) + len(needle) <= starts[texts + 1]]] = True
            return found
        if len(needle) <= _LONGEST_COMPILED_LITERAL and literal.isprintable():
            # An escaped literal in RE2 is several times faster than Arrow's own substring search.
            return to_mask(pc.match_substring_regex(self.array, re2.escape(literal)))
        return to_mask(pc.match_substring(self.array.view(pa.binary()), needle))

    def contains_folded(self, literal: str) -> Mask:
        """Which texts contain the literal when both are case-folded (`str.casefold`)."""
        return self.folded().contains(literal.casefold())

    def folded(self) -> Text:
        """The texts after `str.casefold`."""
        key = ("folded", self._key)
        array = self._derive("folded", self._fold)
        return Text(self.batch, array, None if self._key is None else key)

    def _fold(self) -> pa.Array:
        lowered = pc.ascii_lower(self.array)
        is_ascii = self._is_ascii()
        if is_ascii.all():
            return lowered
        others = pa.array(~is_ascii)
        data = [
            encode(decode(item).casefold())
            for item in self.array.view(pa.binary()).filter(others).to_pylist()
        ]
        return pc.replace_with_mask(lowered, others, pa.array(data, pa.binary()).view(pa.string()))

    def to_bytes(self) -> list[bytes | None]:
        """The texts as bytes."""
        return self._derive("bytes", lambda: self.array.view(pa.binary()).to_pylist())  # type: ignore[return-value]

    def to_texts(self) -> list[str | None]:
        """The texts as Python texts."""
        return self._derive("texts", lambda: to_texts(self.array))  # type: ignore[return-value]

    def contains_each(self, needles: Sequence[bytes | None]) -> Mask:
        """Which texts contain the needle of their own place; none where the needle is None."""
        return np.fromiter(
            (
                needle is not None and text is not None and needle in text
                for needle, text in zip(needles, self.to_bytes(), strict=True)
            ),
            np.bool_,
            len(self),
        )

    def contains_after_nfc(self, among: Mask, needles: Sequence[str], codes: Codes) -> Mask:
        """Of the texts in `among`, which contain their needle once both are in NFC.

        Meant for texts that do not contain it as they are: it tells a fault of spelling from one
        of content. The needle of each text is `needles[code]`.
        """
        found = np.zeros(len(self), np.bool_)
        is_ascii = np.array([needle.isascii() for needle in needles] + [True], np.bool_)
        if is_ascii.all() and self._is_ascii().all():
            return found
        is_ascii = is_ascii[codes]
        for at in np.flatnonzero(among & not_null(self.array) & ~(is_ascii & self._is_ascii())).tolist():
            text, needle = decode(self.array[at].as_buffer().to_pybytes()), needles[int(codes[at])]
            composed, wanted = unicodedata.normalize("NFC", text), unicodedata.normalize("NFC", needle)
            found[at] = (composed != text or wanted != needle) and wanted in composed
        return found

    def _is_ascii(self) -> Mask:
        """Which texts are ASCII; null is."""
        return self._derive(  # type: ignore[return-value]
            "ascii", lambda: to_mask(pc.fill_null(pc.string_is_ascii(self.array), fill_value=True))
        )

    def search(self, pattern: Pattern) -> tuple[Mask, Mask]:
        """In which texts the pattern is found, and in which the search ran into its limit."""
        if not pattern.is_bounded:
            found = to_mask(pc.match_substring_regex(self.array, pattern.expression))
            return found, np.zeros(len(self), np.bool_)
        search = compiled_fallback(pattern.expression).search
        found, is_timeout = np.zeros(len(self), np.bool_), np.zeros(len(self), np.bool_)
        for at, data in enumerate(self.to_bytes()):
            if data is not None:
                try:
                    found[at] = search(decode(data), timeout=SECONDS_PER_TEXT) is not None
                except TimeoutError:
                    is_timeout[at] = True
        return found, is_timeout

    def capture(self, pattern: Pattern) -> Captures:
        """The first match's group 1 in each text, or the whole match of a pattern without groups."""
        is_timeout = np.zeros(len(self), np.bool_)
        if not pattern.is_bounded:
            captured = pc.extract_regex(self.array, pattern.capture)
            values = captured.field("captured").view(pa.binary())
            found = to_mask(captured.is_valid())
            taken = [item or b"" for item in values.to_pylist()]
            if not found.all():
                taken = [item if hit else b"" for item, hit in zip(taken, found.tolist(), strict=True)]
            return Captures(taken, is_timeout)
        compiled = compiled_fallback(pattern.expression)
        group = 1 if compiled.groups else 0
        taken = [b""] * len(self)
        for at, data in enumerate(self.to_bytes()):
            if data is not None:
                try:
                    match = compiled.search(decode(data), timeout=SECONDS_PER_TEXT)
                except TimeoutError:
                    is_timeout[at] = True
                else:
                    taken[at] = encode(match[group] or "") if match else b""
        return Captures(taken, is_timeout)

    def first_containing(self, needles: Sequence[bytes], low: Positions, high: Positions) -> Positions:
        """For each needle the first of the texts `[low, high)` that contains it, int64[k]; -1 for none.

        An empty needle is contained in none. One search runs over the joined bytes of the range;
        a hit that straddles two texts is passed over.
        """
        joined, starts = self._joined()
        found = np.full(len(needles), -1, np.int64)
        starts = starts.tolist()
        for at, (needle, first, last) in enumerate(zip(needles, low.tolist(), high.tolist(), strict=True)):
            if not needle or first >= last:
                continue
            size, end = len(needle), starts[last]
            hit = joined.find(needle, starts[first], end)
            while hit >= 0:
                text = bisect.bisect_right(starts, hit, first, last + 1) - 1
                if hit + size <= starts[text + 1]:
                    found[at] = text
                    break
                hit = joined.find(needle, hit + 1, end)
        return found

    def _joined(self) -> tuple[bytes, Positions]:
        """The bytes of all texts in one, and where each begins, int64[n + 1]."""

        def join() -> tuple[bytes, Positions]:
            array = self.array
            _, offsets, data = array.buffers()
            if not len(array) or data is None:
                return b"", np.zeros(len(array) + 1, np.int64)
            at = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
            first, last = int(at[0]), int(at[-1])
            return data.slice(first, last - first).to_pybytes(), at.astype(np.int64) - first

        return self._derive("joined", join)  # type: ignore[return-value]


@functools.lru_cache(maxsize=4096)
def _searcher(needle: bytes) -> ahocorasick_rs.BytesAhoCorasick:
    return ahocorasick_rs.BytesAhoCorasick([needle])


def _is_frequent(needle: bytes, joined: bytes) -> bool:
    return joined.count(needle, 0, _PROBE_BYTES) > _MOST_HITS_IN_PROBE
