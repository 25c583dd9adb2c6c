"""Calls as reference data has them: what an agent should have called, in whichever form."""

from __future__ import annotations

from typing import Any

from graders.values import Json, parse_arguments


def read_calls(value: Json) -> list[tuple[str, Any]] | None:
    """The tool and the arguments of each call of a list; None where it is no list of calls.

    Arguments are an object, also where JSON text of one is recorded, or None where any will do.
    """
    if not isinstance(value, list):
        return None
    calls = [_read_call(item) for item in value]
    return None if None in calls else calls  # type: ignore[return-value]  # no None is left


def _read_call(item: Json) -> tuple[str, Any] | None:
    if not isinstance(item, dict):
        return None
    tool = item.get("tool", item.get("name"))
    arguments = next((item[key] for key in ("arguments", "args", "kwargs") if key in item), None)
    if isinstance(arguments, str):  # JSON text, as calls are often recorded.
        arguments = parse_arguments(arguments)
    if not isinstance(tool, str) or not tool or not (arguments is None or isinstance(arguments, dict)):
        return None
    return tool, arguments
