"""Regular expressions: RE2 first, a bounded fallback for what RE2 refuses (SEMANTICS section 4).

RE2 runs in linear time, and Arrow's own kernels are RE2, so a pattern means the same on one text
and on a column. A pattern that only the `regex` library accepts (look-around, back-references)
runs there, translated so that all that RE2 has means the same, with a limit of time per text.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import re2
import regex

from graders.pattern_syntax import elements_of, is_named_group, translate

SECONDS_PER_TEXT = 1.0


class PatternError(ValueError):
    """A pattern that no engine compiles; the message is the engine's."""


@dataclasses.dataclass(frozen=True)
class Pattern:
    """A pattern that compiles; plain data, so that it travels to workers.

    Attributes:
        source: as written in the spec.
        expression: what the engine is given.
        is_bounded: whether it runs in the fallback, under a limit of time per text.
        capture: for RE2, the expression in which the captured value is the only group, named
            `captured`; the whole match where the source has no group. None in the fallback.
    """

    source: str
    expression: str
    is_bounded: bool
    capture: str | None

    def __call__(self, text: str) -> bool:
        """Whether the pattern is found in one short text, such as a tool name.

        Raises:
            TimeoutError: the search ran into its limit.
        """
        if self.is_bounded:
            found = _search_bounded(self.expression, text)
            if found is None:
                raise TimeoutError(f"the search for {self.source!r} took over {SECONDS_PER_TEXT:g} s")
            return found
        data = text.encode("utf-8", "surrogatepass")
        return _compiled_re2(self.expression).search(data) is not None


@functools.lru_cache(maxsize=16384)
def compile_pattern(source: str) -> Pattern:
    """Compile a pattern of a spec.

    Raises:
        PatternError: neither engine accepts it.
    """
    elements = elements_of(source)
    expression = "".join(map(_in_one_spelling, elements))
    try:
        groups = _compiled_re2(expression).groups
        capture = _capturing(elements, groups)
        for each in (expression, capture):
            # Arrow carries its own RE2: what it refuses must be known now, not on a worker.
            pc.match_substring_regex(pa.array([""], pa.string()), each)
    except (re2.error, UnicodeEncodeError, pa.ArrowInvalid) as error:
        return _compile_fallback(source, elements, _message(error))
    return Pattern(source, expression, is_bounded=False, capture=capture)


def _in_one_spelling(element: str) -> str:
    is_short = element.startswith("(?<") and is_named_group(element)
    return "(?P<" + element[3:] if is_short else element


def _compile_fallback(source: str, elements: list[str], refusal: str) -> Pattern:
    expression = translate(elements)
    try:
        compiled_fallback(expression)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise PatternError(refusal or str(error)) from error
    return Pattern(source, expression, is_bounded=True, capture=None)


@functools.lru_cache(maxsize=4096)
def _compiled_re2(expression: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(expression.encode(), options)


@functools.lru_cache(maxsize=4096)
def compiled_fallback(expression: str) -> Any:
    """The compiled form of a bounded pattern's expression."""
    return regex.compile(expression, regex.V1)


@functools.lru_cache(maxsize=4096)
def _search_bounded(expression: str, text: str) -> bool | None:
    """Whether the pattern is found, None at the limit; remembered, so that no text costs it twice."""
    try:
        return compiled_fallback(expression).search(text, timeout=SECONDS_PER_TEXT) is not None
    except TimeoutError:
        return None


def _message(error: Exception) -> str:
    text = error.args[0] if error.args else ""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def _capturing(elements: list[str], groups: int) -> str:
    """Rewrite an RE2 pattern so that its captured value is the group `captured`."""
    if not groups:
        return f"(?P<captured>{''.join(elements)})"
    found = 0
    rewritten: list[str] = []
    for element in elements:
        if element == "(" or is_named_group(element):
            found += 1
            rewritten.append("(?P<captured>" if found == 1 else "(?:")
        else:
            rewritten.append(element)
    if found != groups:
        raise PatternError(f"its {groups} groups cannot be told apart; write it in a simpler way")
    return "".join(rewritten)
