"""Parameters that many check types have: patterns, marked so that they can be found in any check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from graders.patterns import PatternError, compile_pattern
from graders.values import json_text


class PatternSource(str):
    """The source of a pattern that one of the engines compiles."""

    __slots__ = ()


def _to_source(source: str) -> str:
    try:
        compile_pattern(source)
    except PatternError as error:
        raise ValueError(f"invalid pattern {json_text(source)}: {error}") from error
    return PatternSource(source)


def _to_source_if_valid(source: str) -> str:
    try:
        return _to_source(source)
    except ValueError:
        return source


PatternText = Annotated[str, Field(min_length=1), AfterValidator(_to_source)]
"""A pattern that must compile."""

LenientPatternText = Annotated[str, Field(min_length=1), AfterValidator(_to_source_if_valid)]
"""A pattern that need not compile; then it is a plain text."""


def patterns_in(parameters: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """All patterns in the parameters of a check that compile, as (path, source) pairs."""
    if isinstance(parameters, PatternSource):
        yield path, str(parameters)
    elif isinstance(parameters, BaseModel):
        for name, field in type(parameters).model_fields.items():
            yield from patterns_in(getattr(parameters, name), _below(path, field.alias or name))
    elif isinstance(parameters, dict):
        for key, value in parameters.items():
            yield from patterns_in(value, _below(path, key))
    elif isinstance(parameters, (list, tuple)):
        for number, value in enumerate(parameters):
            yield from patterns_in(value, f"{path}[{number}]")


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
