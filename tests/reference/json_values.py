"""JSON by the words of SEMANTICS section 4, by plain recursion."""

from __future__ import annotations

import decimal
import json
from typing import Any

BAD = object()
"""What text that is not a JSON object is, as arguments."""


def parse(text: str) -> Any:
    """The value of a JSON text; `BAD` where it is none, and NaN and Infinity are none."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        # Decimals are exact at any size and compare exactly with whatever else is a number.
        return json.loads(text, parse_int=decimal.Decimal, parse_constant=refuse)
    except ValueError:
        return BAD


def arguments(text: str | None) -> Any:
    """The arguments of a call: null, blanks and `null` are the empty object."""
    if text is None or not text.strip():
        return {}
    value = parse(text)
    if value is None:
        return {}
    return value if isinstance(value, dict) else BAD


def is_equal(expected: Any, actual: Any) -> bool:
    """Whether two values are equal: 1 is 1.0, true is never 1."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(is_equal(expected[k], actual[k]) for k in expected)
    return _agree(expected, actual, is_equal)


def is_contained(expected: Any, actual: Any) -> bool:
    """Whether `actual` contains `expected`: extra keys are allowed, extra elements are not."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(key in actual and is_contained(expected[key], actual[key]) for key in expected)
    return _agree(expected, actual, is_contained)


def _agree(expected: Any, actual: Any, inner: Any) -> bool:
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(inner, expected, actual))
    kinds = (_kind(expected), _kind(actual))
    return kinds[0] == kinds[1] and kinds[0] not in ("object", "array") and expected == actual


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float, decimal.Decimal)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "array" if isinstance(value, list) else "object"
