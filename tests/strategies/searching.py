"""Parameters of searches: literals and patterns that the texts of the records may hold."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.records import TEXTS

# A spec is UTF-8, so no literal of it holds a lone surrogate.
LITERALS = (
    st.one_of(TEXTS, st.sampled_from(["x", "7", "id=", "ss", "Σ"]))
    .filter(bool)
    .map(lambda text: text.encode("utf-8", "replace").decode())
)

# Patterns of both engines; `x*` and `^$` are found in what is empty, but not in what is not there.
PATTERNS = [
    r"id=\w+",
    "x",
    "x*",
    "^$",
    "^.$",
    r"^\s*$",
    "(?s)^.+$",
    "(?m)^ok$",
    "ok$",
    r"(?i)stra(ß|ss)e",
    "(?i)σ",  # noqa: RUF001  (a sigma is meant)
    "é",
    r"\x00",
    r"(?P<n>7)|(?<m>77)",
    r"(?<=id=)7",
    r"(\w)\1",
    r"(?i)(?!x)X|done(?=$)",
]
TOOL_PATTERNS = ["a", "^a$", r"^a\.", "(?i)^A$", ".", "^$", "x*", r"b\.c", "ä", "never", "(?<=a)b", r"\x00"]

_NEGATE = {"negate": st.booleans()}


def literal_configs(*, has_negate: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Configs of the types that look for a literal, under both names of it."""
    options = {"case_sensitive": st.booleans(), **(_NEGATE if has_negate else {})}
    return st.one_of(
        *(st.fixed_dictionaries({name: LITERALS}, optional=options) for name in ("substring", "value"))
    )


def pattern_configs(*, has_negate: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Configs of the types that look for a pattern."""
    return st.fixed_dictionaries(
        {"pattern": st.sampled_from(PATTERNS)}, optional=_NEGATE if has_negate else {}
    )


LITERAL_EXAMPLES: list[dict[str, Any]] = [
    {"substring": "x"},
    {"substring": "STRASSE"},
    {"value": "é", "case_sensitive": True},
    {"substring": "\x00"},
]
PATTERN_EXAMPLES: list[dict[str, Any]] = [{"pattern": pattern} for pattern in PATTERNS]


def with_negate(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The examples, and the same with `negate`."""
    return [*examples, *({**example, "negate": True} for example in examples)]


def tools() -> st.SearchStrategy[list[str]]:
    """A list of patterns of tool names."""
    return st.lists(st.sampled_from(TOOL_PATTERNS), min_size=1, max_size=2)
