"""What a pattern of a spec finds in one text; compiling is the one thing shared with `graders`."""

from __future__ import annotations

from typing import Any

import re2

from graders.patterns import SECONDS_PER_TEXT, compile_pattern, compiled_fallback


def is_found(pattern: str, text: str | None) -> bool:
    """Whether a pattern is found in a text; in none there is nothing to find.

    Raises:
        TimeoutError: the search ran into its limit.
    """
    return text is not None and _search(pattern, text)[0] is not None


def captured(pattern: str, text: str | None) -> str:
    """Group 1 of the first match, or all of it where the pattern has no group; "" for nothing.

    Raises:
        TimeoutError: the search ran into its limit.
    """
    if text is None:
        return ""
    match, groups = _search(pattern, text)
    found = match[1 if groups else 0] if match is not None else None
    return found.decode("utf-8", "surrogatepass") if isinstance(found, bytes) else found or ""


def _search(pattern: str, text: str) -> tuple[Any, int]:
    """The match, or None, and the number of groups by the engine's own count."""
    compiled = compile_pattern(pattern)
    if compiled.is_bounded:
        engine = compiled_fallback(compiled.expression)
        return engine.search(text, timeout=SECONDS_PER_TEXT), engine.groups
    engine = re2.compile(compiled.expression.encode())
    return engine.search(text.encode("utf-8", "surrogatepass")), engine.groups
