"""Arrow string arrays whose bytes need not be UTF-8: in and out of Python without loss.

Records hold lone surrogates and invalid bytes. Inside a batch a text is its bytes (surrogates as
three bytes, as in WTF-8); in Python the same text is a `str` with surrogates, where a byte that
is no part of a character stands as U+DC80 + byte, the convention of `surrogateescape`.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Mask: TypeAlias = npt.NDArray[np.bool_]
Positions: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
"""For each element the number of its value among the distinct ones, or -1 for none."""


def _keep_surrogate(error: UnicodeError) -> tuple[str, int]:
    """Decode what UTF-8 refuses: a surrogate as itself, any other byte as U+DC00 + byte."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    three = error.object[error.start : error.start + 3]
    if len(three) == 3 and three[0] == 0xED and 0xA0 <= three[1] <= 0xBF and three[2] & 0xC0 == 0x80:
        return three.decode("utf-8", "surrogatepass"), error.start + 3
    return chr(0xDC00 + error.object[error.start]), error.start + 1


codecs.register_error("gradebeam-lossless", _keep_surrogate)


def decode(data: bytes) -> str:
    """The text that bytes of a batch stand for."""
    return data.decode("utf-8", "gradebeam-lossless")


def encode(text: str) -> bytes:
    """The bytes that a text has in a batch."""
    return text.encode("utf-8", "surrogatepass")


def to_texts(array: pa.Array) -> list[str | None]:
    """The elements of a string array (plain or dictionary) as Python texts."""
    try:
        return array.to_pylist()
    except UnicodeDecodeError:
        plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
        return [None if item is None else decode(item) for item in plain.view(pa.binary()).to_pylist()]


def to_python(array: pa.Array) -> list[Any]:
    """The elements of an array of the record as Python values, texts kept as they are.

    A time beyond what Python has is None.
    """
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_dictionary(kind):
        return list(to_texts(array))
    if pa.types.is_struct(kind):
        columns = [to_python(child) for child in array.flatten()]
        names = [field.name for field in kind]
        rows = zip(*columns, strict=True)
        return [
            dict(zip(names, row, strict=True)) if valid else None
            for row, valid in zip(rows, not_null(array).tolist(), strict=True)
        ]
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        offsets = array.offsets.to_pylist()
        first, n = offsets[0], offsets[-1] - offsets[0]
        if pa.types.is_map(kind):
            values = list(
                zip(
                    to_python(array.keys.slice(first, n)), to_python(array.items.slice(first, n)), strict=True
                )
            )
        else:
            values = to_python(array.values.slice(first, n))
        spans = zip(offsets, offsets[1:], not_null(array).tolist(), strict=False)
        return [values[low - first : high - first] if valid else None for low, high, valid in spans]
    if pa.types.is_timestamp(kind):
        return [_time(item) for item in array]
    return array.to_pylist()


def _time(item: pa.Scalar) -> Any:
    try:
        return item.as_py()
    except (OverflowError, ValueError):
        return None


def from_texts(texts: Iterable[str | None]) -> pa.Array:
    """A string array of Python texts, surrogates kept."""
    texts = texts if isinstance(texts, list) else list(texts)
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        data = [None if text is None else encode(text) for text in texts]
        return pa.array(data, pa.binary()).view(pa.string())


def replace_surrogates(text: str) -> str:
    """The text with U+FFFD for every surrogate, as sinks need it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def to_writable(array: pa.Array) -> pa.Array:
    """The string array with U+FFFD for whatever is not UTF-8; the same array where all is."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return pa.array(
            [None if text is None else replace_surrogates(text) for text in to_texts(array)], pa.string()
        )
    return array


def to_mask(array: pa.Array) -> Mask:
    """An Arrow boolean array as numpy, null as false."""
    if array.null_count:
        array = pc.fill_null(array, fill_value=False)
    return array.to_numpy(zero_copy_only=False)


def not_null(array: pa.Array) -> Mask:
    """Which elements are not null."""
    if not array.null_count:
        return np.ones(len(array), np.bool_)
    return array.is_valid().to_numpy(zero_copy_only=False)


def byte_lengths(array: pa.Array) -> npt.NDArray[np.int64]:
    """The length of each string in bytes; 0 for null."""
    lengths = pc.binary_length(array)
    return pc.fill_null(lengths, 0).to_numpy(zero_copy_only=False).astype(np.int64)


def to_codes(array: pa.Array) -> tuple[list[str | None], npt.NDArray[np.int32]]:
    """The distinct values of a string array, and for each element the number of its value, or -1."""
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    indices = coded.indices.fill_null(-1) if coded.indices.null_count else coded.indices
    return to_texts(coded.dictionary), indices.to_numpy(zero_copy_only=False)


def per_value(values: Sequence[object], codes: npt.NDArray[np.int32]) -> Mask:
    """Spread one truth value per distinct value over the elements; the code -1 is false."""
    table = np.zeros(len(values) + 1, np.bool_)
    table[: len(values)] = [bool(value) for value in values]
    return table[codes]
