"""Options of the Beam runner, which stand after `--`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pipeline.errors import invalid


def runner_options(flags: Sequence[str]) -> dict[str, Any]:
    """Runner options after `--` by name: `--name=value`, `--name value` or the bare `--name`.

    Raises:
        InvalidError: one is not a flag.
    """
    options: dict[str, Any] = {}
    at = 0
    while at < len(flags):
        if not flags[at].startswith("--"):
            raise invalid(flags[at], "runner options are flags, such as --runner=FlinkRunner")
        name, equals, value = flags[at].removeprefix("--").partition("=")
        at += 1
        if not equals and at < len(flags) and not flags[at].startswith("--"):
            value, equals = flags[at], "="
            at += 1
        item: Any = value if equals else True
        if name in options:
            earlier = options[name]
            item = [*earlier, item] if isinstance(earlier, list) else [earlier, item]
        options[name] = item
    return options
