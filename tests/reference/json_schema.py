"""JSON Schema (2020-12), as far as the strategies write it, keyword by keyword."""

from __future__ import annotations

import decimal
import fractions
from typing import Any

from tests.reference.json_values import is_equal
from tests.reference.patterns import is_found

_NOTES = ("$defs", "default", "examples")


def is_valid(schema: Any, value: Any, root: Any = None) -> bool:
    """Whether a value meets a schema; references lead into `root`, which is the schema itself if not given.

    Raises:
        NotImplementedError: a keyword is not known here.
    """
    if isinstance(schema, bool):
        return schema
    root = schema if root is None else root
    return all(_meets(keyword, wanted, value, schema, root) for keyword, wanted in schema.items())


def _at(root: Any, reference: str) -> Any:
    """The schema at a reference such as `#/$defs/a`."""
    for key in reference.split("/")[1:]:
        root = root[key]
    return root


def _meets(keyword: str, wanted: Any, value: Any, schema: dict[str, Any], root: Any) -> bool:
    if keyword in _NOTES:
        return True
    if keyword == "type":
        return any(_is_of(name, value) for name in ([wanted] if isinstance(wanted, str) else wanted))
    if keyword == "enum":
        return any(is_equal(item, value) for item in wanted)
    if keyword == "const":
        return is_equal(wanted, value)
    if keyword in ("not", "anyOf", "$ref"):
        return _meets_parts(keyword, wanted, value, root)
    if keyword in ("minimum", "maximum", "exclusiveMinimum", "multipleOf"):
        return not _is_of("number", value) or _is_within(keyword, wanted, value)
    if keyword in ("pattern", "minLength", "maxLength"):
        return not isinstance(value, str) or _meets_text(keyword, wanted, value)
    if keyword in ("items", "minItems", "maxItems", "uniqueItems"):
        return not isinstance(value, list) or _meets_array(keyword, wanted, value, root)
    if keyword in ("required", "properties", "additionalProperties"):
        return not isinstance(value, dict) or _meets_object(keyword, wanted, value, schema, root)
    raise NotImplementedError(keyword)


def _meets_parts(keyword: str, wanted: Any, value: Any, root: Any) -> bool:
    if keyword == "$ref":
        return is_valid(_at(root, wanted), value, root)
    if keyword == "not":
        return not is_valid(wanted, value, root)
    return any(is_valid(part, value, root) for part in wanted)


def _is_of(name: str, value: Any) -> bool:
    is_number = isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)
    return {
        "null": value is None,
        "boolean": isinstance(value, bool),
        "number": is_number,
        # Numbers without a fraction or an exponent are parsed as decimals.
        "integer": is_number and (not isinstance(value, float) or value.is_integer()),
        "string": isinstance(value, str),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }[name]


def _is_within(keyword: str, limit: Any, value: Any) -> bool:
    if keyword == "exclusiveMinimum":
        return value > limit
    if keyword == "multipleOf":
        # As they are written: 0.3 is a multiple of 0.1.
        return (fractions.Fraction(str(value)) / fractions.Fraction(str(limit))).denominator == 1
    return value >= limit if keyword == "minimum" else value <= limit


def _meets_text(keyword: str, wanted: Any, value: str) -> bool:
    if keyword == "pattern":
        return is_found(wanted, value)
    return len(value) >= wanted if keyword == "minLength" else len(value) <= wanted


def _meets_array(keyword: str, wanted: Any, value: list[Any], root: Any) -> bool:
    if keyword == "items":
        return all(is_valid(wanted, item, root) for item in value)
    if keyword == "uniqueItems":
        pairs = ((a, b) for at, a in enumerate(value) for b in value[:at])
        return not wanted or not any(is_equal(a, b) for a, b in pairs)
    return len(value) >= wanted if keyword == "minItems" else len(value) <= wanted


def _meets_object(
    keyword: str, wanted: Any, value: dict[str, Any], schema: dict[str, Any], root: Any
) -> bool:
    if keyword == "required":
        return all(key in value for key in wanted)
    named = schema.get("properties", {})
    if keyword == "properties":
        return all(is_valid(named[key], value[key], root) for key in value if key in named)
    return all(is_valid(wanted, value[key], root) for key in value if key not in named)
