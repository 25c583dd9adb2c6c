"""JSON Schema (draft 2020-12) for outputs: patterns run as all patterns do, references stay inside."""

from __future__ import annotations

import fractions
import math
from typing import Any

import jsonschema
import jsonschema.exceptions
import jsonschema.validators
import referencing
import referencing.exceptions
import referencing.jsonschema

from graders.patterns import PatternError, compile_pattern
from graders.values import Json, cut, json_text, quote


def _pattern(_validator: Any, source: str, instance: Json, _schema: Json) -> Any:
    if isinstance(instance, str) and not compile_pattern(source)(instance):
        yield jsonschema.ValidationError(f"{quote(instance)} does not match {json_text(source)}")


def _multiple_of(_validator: Any, divisor: Any, instance: Json, _schema: Json) -> Any:
    """Exactly, at any size, where the library's arithmetic overflows."""
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    is_finite = isinstance(instance, int) or math.isfinite(instance)
    if not is_finite or _exact(instance) % _exact(divisor):
        yield jsonschema.ValidationError(f"{cut(json_text(instance))} is not a multiple of {divisor}")


def _exact(number: float) -> fractions.Fraction:
    """A number as it is written, so that 0.3 is three tenths."""
    return fractions.Fraction(number) if isinstance(number, int) else fractions.Fraction(repr(number))


_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator, {"pattern": _pattern, "multipleOf": _multiple_of}
)


class Schema:
    """A schema that is good, ready to validate."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Take a schema that `check_schema` has let through."""
        self._validator = _Validator(schema)

    def problem(self, value: Json) -> str | None:
        """What is wrong with a value, or None."""
        try:
            error = jsonschema.exceptions.best_match(self._validator.iter_errors(value))
        except (ValueError, OverflowError):  # A number too long for the library's message or arithmetic.
            return "a number is beyond what can be validated"
        return None if error is None else f"{error.json_path}: {error.message}"


def check_schema(schema: dict[str, Any]) -> None:
    """See that a schema is one, that its patterns compile and its references resolve inside it.

    Raises:
        ValueError: otherwise.
    """
    try:
        # The draft says that patterns are those of ECMA; here they are ours, and checked below.
        _Validator.check_schema(schema, format_checker=jsonschema.FormatChecker(formats=()))
    except jsonschema.SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.json_path}: {error.message}") from error
    _check_parts(schema, schema)


def _check_parts(part: Any, root: dict[str, Any]) -> None:
    if isinstance(part, list):
        for item in part:
            _check_parts(item, root)
    if not isinstance(part, dict):
        return
    for key, item in part.items():
        if key == "pattern" and isinstance(item, str):
            _check_pattern(item)
        elif key == "patternProperties" and isinstance(item, dict):
            raise ValueError("patternProperties is not supported; use properties or additionalProperties")
        elif key in ("$ref", "$dynamicRef") and isinstance(item, str):
            _check_reference(item, root)
        if key not in ("enum", "const", "default", "examples"):
            _check_parts(item, root)


def _check_pattern(source: str) -> None:
    try:
        compile_pattern(source)
    except PatternError as error:
        raise ValueError(f"invalid pattern {json_text(source)}: {error}") from error


def _check_reference(reference: str, root: dict[str, Any]) -> None:
    resource = referencing.jsonschema.DRAFT202012.create_resource(root)
    try:
        referencing.Registry().with_resource("", resource).resolver().lookup(reference)
    except referencing.exceptions.Unresolvable as error:
        raise ValueError(f"the reference {reference!r} leads out of the schema") from error
