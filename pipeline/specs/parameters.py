"""Parameters of a Vally eval: `${KEY}` and `${KEY=default}` in its texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pipeline.errors import nearest
from pipeline.specs.entries import EntryLoader
from pipeline.specs.scalars import read_scalar
from pipeline.specs.yaml_reader import Path

_PARAMETER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?:=([^}]*))?\}")


def parameter_names(value: Any) -> set[str]:
    """The names of all parameters in a value, keys included."""
    if isinstance(value, dict):
        return set[str]().union(*(parameter_names(part) for item in value.items() for part in item))
    if isinstance(value, list):
        return set[str]().union(*map(parameter_names, value))
    return {match[1] for match in _PARAMETER.finditer(value)} if isinstance(value, str) else set()


def fill(value: Any, path: Path, given: Mapping[str, str], loader: EntryLoader) -> Any:
    """A value with its parameters filled in.

    Within a longer text a parameter is text. As a whole value it is what its field wants: a number or
    boolean by the YAML 1.2 core schema, or text. Where a field takes both (an argument, a metric), it
    is read as if its text stood in the file: without quotes a number may be meant, in quotes a text.

    Args:
        value: what stands at `path`.
        path: where.
        given: values of parameters, which win over defaults.
        loader: takes the problems, and what else a value may be read as.
    """
    if isinstance(value, dict):
        for key in value:
            if _PARAMETER.search(key):
                loader.refuse((*path, key), "a parameter cannot be part of a key")
        return {key: fill(item, (*path, key), given, loader) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, (*path, number), given, loader) for number, item in enumerate(value)]
    if not isinstance(value, str) or "${" not in value:
        return value
    text = _PARAMETER.sub(lambda match: _text_of(match, path, given, loader), value)
    if not _PARAMETER.fullmatch(value):
        return text
    typed = _typed(text)
    if isinstance(typed, str):
        return text
    is_unquoted = path in loader.document.unquoted
    loader.other_readings[path] = text if is_unquoted else typed
    return typed if is_unquoted else text


def _text_of(match: re.Match[str], path: Path, given: Mapping[str, str], loader: EntryLoader) -> str:
    key, default = match[1], match[2]
    if key in given:
        return given[key]
    if default is None:
        hint = nearest(key, given)
        loader.refuse(path, f"the parameter {key} has no value{hint}; give one with --param {key}=VALUE")
        return match[0]
    return default


def _typed(text: str) -> int | float | bool | str:
    """A number or boolean where the text is one, else the text."""
    try:
        value = read_scalar(text)
    except ValueError:
        return text
    return text if value is None else value
