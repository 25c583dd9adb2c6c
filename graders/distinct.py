"""DistinctTexts: how many distinct texts there are, in bounded memory; a commutative monoid."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

MOST = 16_384
"""So many hashes are kept: counts up to it are exact, larger ones within about one per cent."""


@dataclasses.dataclass(frozen=True)
class DistinctTexts:
    """The smallest hashes of some texts (k minimum values, Bar-Yossef et al. 2002).

    Attributes:
        hashes: uint64[≤ MOST], ascending, distinct.
    """

    hashes: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> DistinctTexts:
        """Of some texts, which may repeat."""
        digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
        return cls(np.unique(np.frombuffer(digests, "<u8"))[:MOST])

    def merge(self, other: DistinctTexts) -> DistinctTexts:
        """Of the texts of both."""
        return DistinctTexts(np.union1d(self.hashes, other.hashes)[:MOST])

    @property
    def is_exact(self) -> bool:
        """Whether `count` is exact, but for two texts of one hash."""
        return len(self.hashes) < MOST

    @property
    def count(self) -> int:
        """How many distinct texts there are, or about how many."""
        if self.is_exact:
            return len(self.hashes)
        return (MOST - 1) * 2**64 // (int(self.hashes[-1]) + 1)
