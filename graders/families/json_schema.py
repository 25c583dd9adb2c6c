"""JSON Schema for outputs: the meaning is the library's, what it may do is bounded.

The draft is the one that `$schema` names, 2020-12 where it names none. Patterns run as all patterns
do, numbers and equality are exact, references stay inside the schema and are never looked up
elsewhere. Formats are not checked.
"""

from __future__ import annotations

import contextvars
import fractions
import functools
import graphlib
import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import jsonschema
import jsonschema.exceptions
import jsonschema.validators
import referencing
import referencing.exceptions
import referencing.jsonschema

from graders.patterns import PatternError, compile_pattern
from graders.recursion import room_for
from graders.values import Json, canonical_text, cut, json_text, parse_json, quote, size_of

# How many references are followed for one output, and more for each value in it: branches that
# branch again grow without end.
_MOST_REFERENCES = 10_000
_MOST_REFERENCES_EACH = 20
_FRAMES = 5_000
_DRAFTS = {
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
}
_NEWEST = next(iter(_DRAFTS))
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
# The keywords that apply schemas to the very value that they stand for (2020-12 core, 10.2).
_IN_PLACE = frozenset(
    ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
)

_Resource: TypeAlias = referencing.Resource[Any]
_Resolver: TypeAlias = Any
_left: contextvars.ContextVar[Iterator[int]] = contextvars.ContextVar("left")


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


def _unique_items(_validator: Any, wanted: Any, instance: Json, _schema: Json) -> Any:
    """In linear time and by value, where the library sorts and takes true for 1 inside of lists."""
    if wanted and isinstance(instance, list) and len(set(map(canonical_text, instance))) < len(instance):
        yield jsonschema.ValidationError(f"{cut(json_text(instance))} has non-unique elements")


def _counted(follow: Any) -> Any:
    """A keyword that follows a reference, counting."""

    def keyword(*args: Any) -> Any:
        if not next(_left.get(), 0):
            raise TimeoutError("the schema leads through too many references on this output")
        yield from follow(*args)

    return keyword


@functools.cache
def _validator_class(dialect: str) -> Any:
    base: Any = _DRAFTS[dialect]
    references = {name: _counted(base.VALIDATORS[name]) for name in _REFERENCES if name in base.VALIDATORS}
    own = {"pattern": _pattern, "multipleOf": _multiple_of, "uniqueItems": _unique_items}
    return jsonschema.validators.extend(base, {**own, **references})


class Schema:
    """A schema that is good, ready to validate."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Check a schema: that it is one, its patterns compile, and its references lead somewhere in it.

        Raises:
            ValueError: otherwise.
        """
        own: dict[str, Any] = parse_json(json_text(schema))  # A copy without shared parts.
        dialect = own.pop("$schema", _NEWEST)
        if not isinstance(dialect, str) or dialect.rstrip("#") not in _DRAFTS:
            raise ValueError(f"$schema: {json_text(dialect)} is none of {', '.join(_DRAFTS)}")
        validator_class = _validator_class(dialect.rstrip("#"))
        specification = referencing.jsonschema.specification_with(dialect)
        _check_shape(validator_class, own)
        _Parts(validator_class, specification).check(own)
        self._validator = validator_class(own, registry=referencing.Registry())

    def problem(self, value: Json) -> str | None:
        """What is wrong with a value, or None.

        Raises:
            TimeoutError: that takes too many references, or nests too deep.
        """
        try:
            return self._problem(value)
        except RecursionError:
            pass
        try:
            with room_for(_FRAMES):
                return self._problem(value)
        except RecursionError:
            raise TimeoutError("the schema leads too deep on this output") from None

    def _problem(self, value: Json) -> str | None:
        _left.set(iter(range(_MOST_REFERENCES + _MOST_REFERENCES_EACH * size_of(value), 0, -1)))
        error = jsonschema.exceptions.best_match(self._validator.iter_errors(value))
        return None if error is None else f"{error.json_path}: {error.message}"


def _check_shape(validator_class: Any, schema: Json) -> None:
    try:
        # The drafts say that patterns are those of ECMA; here they are ours, and checked apart.
        validator_class.check_schema(schema, format_checker=jsonschema.FormatChecker(formats=()))
    except jsonschema.SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.json_path}: {error.message}") from error
    except RecursionError as error:
        raise ValueError("not a JSON Schema: it is nested too deep") from error


class _Parts:
    """The schemas inside a schema, found by the library's own walk, and by following references."""

    def __init__(self, validator_class: Any, specification: Any) -> None:
        self._validator_class = validator_class
        self._specification = specification
        self._waiting: list[tuple[dict[str, Any], _Resolver]] = []
        self._applies: dict[int, set[int]] = {}  # Which apply which others to the same value, by identity.
        self._references: dict[int, str] = {}

    def check(self, schema: dict[str, Any]) -> None:
        resolver: _Resolver = referencing.Registry().resolver_with_root(self._resource(schema))
        self._waiting.append((schema, resolver))
        while self._waiting:
            self._check_part(*self._waiting.pop())
        try:
            graphlib.TopologicalSorter(self._applies).prepare()
        except graphlib.CycleError as error:
            references = [self._references[part] for part in error.args[1] if part in self._references]
            raise ValueError(
                f"the reference {references[0]!r} comes back to itself on the same value"
            ) from error

    def _resource(self, schema: Any) -> _Resource:
        return self._specification.create_resource(schema)

    def _check_part(self, part: dict[str, Any], resolver: _Resolver) -> None:
        if id(part) in self._applies:
            return
        applied = self._applies[id(part)] = set()
        if "$schema" in part:
            raise ValueError("$schema is understood at the top of a schema only")
        if "patternProperties" in part:
            raise ValueError("patternProperties is not supported; use properties or additionalProperties")
        if isinstance(part.get("pattern"), str):
            _check_pattern(part["pattern"])
        for keyword in _REFERENCES:
            if isinstance(part.get(keyword), str) and keyword in self._validator_class.VALIDATORS:
                self._references[id(part)] = part[keyword]
                applied.add(self._follow(part[keyword], resolver))
        for inner in self._resource(part).subresources():
            if isinstance(inner.contents, dict):
                self._waiting.append((inner.contents, resolver.in_subresource(inner)))
        in_place = {key: value for key, value in part.items() if key in _IN_PLACE}
        applied.update(id(inner.contents) for inner in self._resource(in_place).subresources())

    def _follow(self, reference: str, resolver: _Resolver) -> int:
        try:
            found = resolver.lookup(reference)
        except (referencing.exceptions.Unresolvable, ValueError, TypeError) as error:
            raise ValueError(f"the reference {reference!r} leads out of the schema") from error
        if isinstance(found.contents, dict):
            self._waiting.append((found.contents, found.resolver))
        # It may lead to what no keyword makes a schema of, and what has not been looked at.
        _check_shape(self._validator_class, found.contents)
        return id(found.contents)


def _check_pattern(source: str) -> None:
    try:
        compile_pattern(source)
    except PatternError as error:
        raise ValueError(f"invalid pattern {json_text(source)}: {error}") from error
