"""Regular expressions: RE2 first, a bounded fallback for what RE2 refuses (SEMANTICS section 4).

RE2 runs in linear time, and Arrow's own kernels are RE2, so a pattern means the same on one text
and on a column. A pattern that only the `regex` library accepts (look-around, back-references)
runs there, translated so that classes are ASCII, `$` is the end of the text and inline flags
reach as far as in RE2, with a limit of time per text.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import re2
import regex

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
    tokens = list(_tokens(source))
    if tokens and tokens[-1].startswith(r"\Q") and not tokens[-1].endswith(r"\E"):
        tokens.append(r"\E")  # So that what is put behind the pattern is not quoted too.
    expression = "".join(
        "(?P<" + token[3:] if token.startswith("(?<") and _is_named(token) else token for token in tokens
    )
    try:
        groups = _compiled_re2(expression).groups
        capture = _capturing(tokens, groups)
        for each in (expression, capture):
            # Arrow carries its own RE2: what it refuses must be known now, not on a worker.
            pc.match_substring_regex(pa.array([""], pa.string()), each)
    except (re2.error, UnicodeEncodeError, pa.ArrowInvalid) as error:
        return _compile_fallback(source, tokens, _message(error))
    return Pattern(source, expression, is_bounded=False, capture=capture)


def _compile_fallback(source: str, tokens: list[str], refusal: str) -> Pattern:
    has_verbose = any(re.match(r"\(\?[a-z]*x", token) for token in tokens)
    has_multiline = any(re.match(r"\(\?[a-z]*m", token) for token in tokens)
    translated = "".join(_translate(token, has_multiline=has_multiline) for token in tokens)
    # (?-f: simple case folding, as in RE2; one character never matches two.
    expression = f"(?-f:{translated}\n)" if has_verbose else f"(?-f:{translated})"  # It may end in a comment.
    try:
        compiled_fallback(expression)
        regex.compile(source)  # The translation must not make a wrong pattern right.
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


_TOKEN = re.compile(
    r"""
      \\Q .*? (?: \\E | \Z )                          # a quoted literal
    | \\ .                                            # an escape
    | \[ \^? \]? (?: \\. | \[:\^?[a-z]+:\] | [^\]\\] )* \]   # a class; a first ] is a literal
    | \( \? P? < [^>=!] [^>]* >                       # a named group
    | \( \? [a-zA-Z]* (?:-[a-zA-Z]+)? [:)]            # flags, or a group without number
    | \( \? (?: <?[=!] | > | \| | \( )?               # other groups of the fallback
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def _tokens(source: str) -> Iterator[str]:
    """Split a pattern into classes, escapes, openings of groups and single characters."""
    for match in _TOKEN.finditer(source):
        yield match[0]


def _is_named(token: str) -> bool:
    return token.startswith(("(?<", "(?P<")) and token.endswith(">") and token[3] not in "=!"


def _capturing(tokens: list[str], groups: int) -> str:
    """Rewrite an RE2 pattern so that its captured value is the group `captured`."""
    if not groups:
        return f"(?P<captured>{''.join(tokens)})"
    found = 0
    rewritten: list[str] = []
    for token in tokens:
        if token == "(" or _is_named(token):
            found += 1
            rewritten.append("(?P<captured>" if found == 1 else "(?:")
        else:
            rewritten.append(token)
    if found != groups:
        raise PatternError(f"its {groups} groups cannot be told apart; write it in a simpler way")
    return "".join(rewritten)


_ASCII_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_ASCII_COMPLEMENTS = {
    "D": r"\x00-/:-\U0010FFFF",
    "W": r"\x00-/:-@\[-\^`\{-\U0010FFFF",
    "S": r"\x00-\x08\x0B\x0E-\x1F!-\U0010FFFF",
}


_POSIX = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:ascii:]": r"\x00-\x7F",
    "[:blank:]": r"\t ",
    "[:cntrl:]": r"\x00-\x1F\x7F",
    "[:digit:]": "0-9",
    "[:graph:]": "!-~",
    "[:lower:]": "a-z",
    "[:print:]": " -~",
    "[:punct:]": r"!-/:-@\[-`\{-~",
    "[:space:]": r"\t\n\v\f\r ",
    "[:upper:]": "A-Z",
    "[:word:]": "0-9A-Za-z_",
    "[:xdigit:]": "0-9A-Fa-f",
}


def _translate(token: str, *, has_multiline: bool) -> str:
    """One token of a pattern in the fallback's syntax, with the meaning that RE2 gives it."""
    if token == "$":
        return "$" if has_multiline else r"\Z"
    if token.startswith(r"\Q"):
        return regex.escape(token[2:].removesuffix(r"\E"), special_only=True)
    if token == r"\z":
        return r"\Z"
    if len(token) == 2 and token[0] == "\\" and token[1] in "dwsDWSbB":
        return f"(?a:{token})" if token[1] in "dDwWbB" else f"[{_space(token[1])}]"
    if token.startswith("[") and len(token) > 1:
        return _translate_class(token)
    return token


def _space(letter: str) -> str:
    return _ASCII_CLASSES["s"] if letter == "s" else _ASCII_COMPLEMENTS["S"]


def _translate_class(token: str) -> str:
    parts = re.findall(r"\\.|\[:\^?[a-z]+:\]|.", token[1:-1], re.DOTALL)
    out = ["["]
    for number, part in enumerate(parts):
        if len(part) == 2 and part[0] == "\\" and part[1] in "dwsDWS":
            out.append(_ASCII_CLASSES.get(part[1]) or _ASCII_COMPLEMENTS[part[1]])
        elif part.startswith("[:"):
            out.append(_POSIX.get(part) or part)
        elif part == "^" and number == 0:
            out.append(part)
        elif part in "[]&|~":  # No set operations, which RE2 does not have either.
            out.append("\\" + part)
        else:
            out.append(part)
    return "".join(out) + "]"
