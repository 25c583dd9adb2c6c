"""Scalars without quotes, typed by the YAML 1.2 core schema."""

from __future__ import annotations

import math
import re
from typing import Any

_NULL = re.compile(r"(?:~|null|Null|NULL)?")
_BOOLEAN = re.compile(r"true|True|TRUE|false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_PREFIXED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MOST_DIGITS = 4300
_FIRST = frozenset("~nNtTfF+-.0123456789")  # What a scalar that is no text begins with.
_LEADING_ZEROS = re.compile(r"[-+]?0[0-9]+")


def read_scalar(text: str) -> Any:
    """The value of a scalar without quotes, by the YAML 1.2 core schema.

    Raises:
        ValueError: it is a number that is ambiguous or out of range; the message says what to do.
    """
    if text and text[0] not in _FIRST:
        return text
    if _NULL.fullmatch(text):
        return None
    if _BOOLEAN.fullmatch(text):
        return text.lower() == "true"
    if _LEADING_ZEROS.fullmatch(text):
        raise ValueError(f"{text} has leading zeros; quote it if it is a text, else drop them")
    if _INTEGER.fullmatch(text):
        if len(text) > _MOST_DIGITS:
            raise ValueError(f"an integer of more than {_MOST_DIGITS:,} digits; quote it if it is a text")
        return int(text)
    if _PREFIXED.fullmatch(text) and len(text) <= _MOST_DIGITS:
        return int(text[2:], 8 if text[1] == "o" else 16)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise ValueError(f"{text} is beyond the range of numbers")
        return number
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a finite number; quote it if it is a text")
    return text
