"""Shares: into how many parts keyed rows are divided for a shuffle, and in which part a key is.

The data decides that, not the workers, so that a share holds the same on every runner.
"""

import zlib

import numpy as np
import pyarrow as pa

from graders.arrays import Positions

_ROWS_PER_SHARE = 500_000


def count_shares(rows: int) -> int:
    """How many shares so many rows make; a share is held in memory as a whole."""
    return max(1, -(-rows // _ROWS_PER_SHARE))


def shares_of(texts: pa.Array, shares: int) -> Positions:
    """The share of each of n texts, int64[n]: a hash of its bytes, the same on every machine."""
    hashes = [zlib.crc32(text) % shares for text in texts.view(pa.binary()).to_pylist()]
    return np.array(hashes, np.int64)
