"""Validation errors of models as problems of a document: where, what, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from pipeline.errors import Problem, nearest
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
    fields = [field.alias or name for name, field in model.model_fields.items()]
    problems: list[Problem] = []
    items = error.errors(include_url=False)
    for item in items:
        if item["type"] == "too_short" and any(_is_within(other["loc"], item["loc"]) for other in items):
            continue  # Too short only because its elements were refused.
        path: Path = (*prefix, *_visible(item["loc"], document.value, prefix))
        problems.append(document.problem(path, _message(item, path, fields, misplaced or {})))
    return problems


def _is_within(loc: tuple[str | int, ...], outer: tuple[str | int, ...]) -> bool:
    return len(loc) > len(outer) and loc[: len(outer)] == outer


def _visible(loc: Iterable[str | int], value: Any, prefix: Path) -> Iterable[str | int]:
    """The part of a pydantic location that exists in the document: unions add steps of their own."""
    for step in prefix:
        value = value.get(step) if isinstance(value, dict) else value[step]
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


def _message(item: Any, path: Path, fields: list[str], misplaced: Mapping[str, str]) -> str:
    kind, context, value = item["type"], item.get("ctx") or {}, item.get("input")
    key = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        return misplaced.get(key) or f"unknown key {key!r}{nearest(key, fields)}; known: {', '.join(fields)}"
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
