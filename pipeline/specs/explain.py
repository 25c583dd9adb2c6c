"""Validation errors of models as problems of a document: where, what, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from pipeline.errors import Problem, nearest
from pipeline.specs.rules import models_along
from pipeline.specs.yaml_reader import Document, Path


def explain(
    error: ValidationError,
    document: Document,
    prefix: Path,
    model: type[BaseModel],
    *,
    misplaced: Mapping[str, str] | None = None,
) -> list[Problem]:
    """Every error of a validation as a problem.

    Args:
        error: what pydantic raised.
        document: the document that holds the value.
        prefix: where in the document the validated value stands.
        model: the model, for the names of its fields.
        misplaced: what to say of keys that exist, but in another place.
    """
    items = error.errors(include_url=False)
    found: list[tuple[Path, str]] = []
    for item in items:
        if item["type"] == "too_short" and any(_is_within(other["loc"], item["loc"]) for other in items):
            continue  # Too short only because its elements were refused.
        path = locate(item["loc"], document, prefix)
        if item["type"] == "value_error" and document.lacks_value(path):
            continue
        if item["type"] == "extra_forbidden":
            hint = (misplaced or {}).get(str(path[-1])) if len(item["loc"]) == 1 else None
            found.append((path, hint or _unknown_key(str(path[-1]), _fields_at(model, item["loc"]))))
        else:
            found.append((path, expectation(item)))
    return [document.problem(path, message) for path, message in found if not document.is_refused(path)]


def locate(loc: tuple[str | int, ...], document: Document, prefix: Path) -> Path:
    """The path in a document of a pydantic location in the value at `prefix`."""
    return (*prefix, *_visible(loc, document.value, prefix))


def _fields_at(model: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    """The keys that the model around a location knows."""
    *_, (_, inner) = models_along(model, loc)
    return [field.alias or name for name, field in inner.model_fields.items()]


def _is_within(loc: tuple[str | int, ...], outer: tuple[str | int, ...]) -> bool:
    return len(loc) > len(outer) and loc[: len(outer)] == outer


def _visible(loc: Iterable[str | int], value: Any, prefix: Path) -> Iterable[str | int]:
    """The part of a pydantic location that exists in the document: unions add steps of their own."""
    for step in prefix:
        value = value.get(step) if isinstance(value, dict) else value[step]
    value = {} if value is None else value  # A check without config lacks each key that its type requires.
    steps: list[str | int] = []
    for step in loc:
        if isinstance(value, dict) and (step in value or not steps or isinstance(step, str)):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            break
        steps.append(step)
    return steps


def _unknown_key(key: str, fields: list[str]) -> str:
    known = f"known: {', '.join(fields)}" if fields else "the type has no parameters"
    return f"unknown key {key!r}{nearest(key, fields)}; {known}"


def expectation(item: Any) -> str:
    """What was expected, and what was found, from an error as pydantic lists it."""
    kind, context, value = item["type"], item.get("ctx") or {}, item.get("input")
    if kind == "missing":
        return "this key is missing"
    if kind == "string_type":
        if isinstance(value, (bool, int, float)) or value is None:
            return f"expected a text, got {_shown(value)}; quote it if it is meant as text"
        return f"expected a text, got {_shown(value)}"
    if kind == "string_too_short":
        return "an empty text is not allowed here"
    if kind == "too_short":
        return "at least one element is needed"
    if kind == "literal_error":
        wanted = str(context.get("expected", "")).replace(" or ", ", ").replace("'", "")
        return f"expected one of {wanted}; got {_shown(value)}{nearest(str(value), wanted.split(', '))}"
    if kind == "value_error":
        return str(context.get("error", item["msg"]))
    expected = {
        "bool_type": "true or false",
        "int_type": "a whole number",
        "int_from_float": "a whole number",
        "float_type": "a number",
        "list_type": "a list",
        "tuple_type": "a list",
        "dict_type": "a mapping",
        "model_type": "a mapping",
        "finite_number": "a finite number",
        "greater_than": f"more than {context.get('gt')}",
        "greater_than_equal": f"{context.get('ge')} or more",
        "less_than_equal": f"{context.get('le')} or less",
        "string_pattern_mismatch": f"a text that matches {context.get('pattern')}",
    }.get(kind)
    if expected:
        return f"expected {expected}, got {_shown(value)}"
    return f"{item['msg']}; got {_shown(value)}"


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return repr(value)
