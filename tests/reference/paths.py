"""Reference paths, read one character at a time, and followed."""

from __future__ import annotations

from typing import Any

from tests.reference import json_values

NOTHING = object()
"""What a path leads to where there is nothing."""


def steps_of(path: str) -> list[str | int]:
    """The keys and indexes of a valid path such as `a.b[0]`, `$.a."b.c"` or `a["b.c"]`."""
    rest = path[1:] if path.startswith(("$.", "$[")) else "." + path if not path.startswith("[") else path
    steps: list[str | int] = []
    while rest:
        if rest[0] == "." and rest[1] != '"':
            end = next((at for at, mark in enumerate(rest) if at and mark in '.["'), len(rest))
            steps.append(rest[1:end])
            rest = rest[end:]
        elif rest[0] == "." or rest[1] == '"':
            key, rest = _quoted(rest[2:])
            steps.append(key)
            rest = rest.removeprefix("]")
        else:
            number, _, rest = rest[1:].partition("]")
            steps.append(int(number))
    return steps


def _quoted(rest: str) -> tuple[str, str]:
    """The text up to its closing quote, where a backslash keeps what follows, and the rest."""
    text = ""
    while rest[0] != '"':
        if rest[0] == "\\":
            rest = rest[1:]
        text, rest = text + rest[0], rest[1:]
    return text, rest[1:]


def value_at(value: Any, path: str) -> Any:
    """What stands at a path of a JSON value; `NOTHING` where it leads nowhere."""
    for step in steps_of(path):
        is_key = isinstance(step, str) and isinstance(value, dict) and step in value
        is_index = isinstance(step, int) and isinstance(value, list) and step < len(value)
        if not is_key and not is_index:
            return NOTHING
        value = value[step]
    return value


def text_at(reference: str | None, path: str) -> str | None:
    """The non-empty text at a path of a JSON object; None for whatever else is there."""
    value = json_values.parse(reference or "")
    if not isinstance(value, dict):
        return None
    value = value_at(value, path)
    return value if isinstance(value, str) and value else None
