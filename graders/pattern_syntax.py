r"""The syntax of patterns: RE2's, and how the `regex` library writes the same.

A class becomes the code points that RE2 itself finds in it, since the two disagree on what a word,
a space or another case of a letter is. `$` is the end of the text unless `(?m)` reaches it, and
braces that count nothing are literal. What RE2 does not have (look-around, back-references, atomic
groups, `\Z`, `(?x)` …) means what the library says.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Sequence

import re2

_ELEMENT = re.compile(
    r"""
      \\Q .*? (?: \\E | \Z )                          # a quoted literal
    | \\ [pP] (?: \{ [^}]* \} | . )                   # a Unicode property
    | \\x (?: \{ [0-9A-Fa-f]+ \} | [0-9A-Fa-f]{2} )   # a code point
    | \\ [gkL] < [^>]* > | \\N \{ [^}]* \}            # names that only the fallback has
    | \\ .                                            # any other escape
    | \[ \^? \]? (?: \\. | \[:\^?[a-z]+:\] | [^\]\\] )* \]   # a class; a first ] is a literal
    | \( \? P? < [^>=!] [^>]* >                       # a named group
    | \( \? [a-zA-Z]* (?:-[a-zA-Z]+)? [:)]            # flags, or a group without number
    | \( \? (?: \# | P[=>] | & ) [^)]* \)             # a comment, or a name of a group
    | \( \? \( (?!\?) [^)]* \)                        # the condition of a group
    | \( \* [A-Z]+ \)                                 # a verb
    | \( \? (?: <?[=!] | > | \| | \( )?               # other groups of the fallback
    | \{ [0-9]+ (?: , [0-9]* )? \}                    # a count
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_CLASS_ESCAPES = frozenset({r"\d", r"\D", r"\s", r"\S", r"\w", r"\W"})
_TURKIC = frozenset("iI\u0130\u0131")  # To the library cases of one another, in RE2 only the first two are.


def elements_of(source: str) -> list[str]:
    """Split a pattern into classes, escapes, openings of groups and single characters."""
    elements = [match[0] for match in _ELEMENT.finditer(source)]
    if elements and elements[-1].startswith(r"\Q") and not elements[-1].endswith(r"\E"):
        elements[-1] += r"\E"  # So that what is put behind the pattern is not quoted too.
    return elements


def is_named_group(element: str) -> bool:
    """Whether an element opens a group with a name, in either spelling."""
    return element.startswith(("(?<", "(?P<")) and element.endswith(">") and element[3] not in "=!"


def translate(elements: Sequence[str]) -> str:
    """The pattern of these elements in the syntax of the `regex` library."""
    translated: list[str] = []
    flags: frozenset[str] = frozenset()
    outside: list[frozenset[str]] = []  # The flags around each open group.
    is_comment = False
    for element in elements:
        translated.append(element if is_comment else _translate_element(element, flags))
        is_comment = "x" in flags and (is_comment or element == "#") and "\n" not in element
        if is_comment:
            continue
        if match := _FLAGS.fullmatch(element):
            if match[3] == ":":
                outside.append(flags)
            flags = (flags | set(match[1])) - set(match[2] or "")
        elif element[0] == "(" and (element[-1] != ")" or element.startswith("(?(")):
            outside.append(flags)
        elif element == ")" and outside:
            flags = outside.pop()
    # Simple case folding, as in RE2: one character never matches two.
    return f"(?-f:{''.join(translated)}\n)" if is_comment else f"(?-f:{''.join(translated)})"


def _translate_element(element: str, flags: frozenset[str]) -> str:
    if element == "$":
        return "$" if "m" in flags else r"\Z"
    if element == r"\z":
        return r"\Z"
    if element == "{":
        return r"\{"
    if element in (r"\b", r"\B"):
        return f"(?a:{element})"
    if element.startswith(r"\Q"):
        return "".join(_explicit(f"[{re.escape(char)}]", flags) or char for char in element[2:-2])
    if element.startswith("[") and len(element) > 1:
        return _explicit(element, flags) or f"(?a:{element})"
    is_class = element in _CLASS_ESCAPES or element[:2] in (r"\p", r"\P", r"\x")
    if is_class or ("i" in flags and element in _TURKIC):
        return _explicit(f"[{element}]", flags) or element
    return element


def _explicit(character_class: str, flags: frozenset[str]) -> str | None:
    """A class of RE2 as code points, which mean the same in any engine; None where RE2 refuses it."""
    spans = _code_points(character_class, ignores_case="i" in flags)
    if spans is None:
        return None
    ranges = (f"\\U{low:08X}" if low == high else f"\\U{low:08X}-\\U{high:08X}" for low, high in spans)
    return f"(?-i:[{''.join(ranges)}])" if spans else "(?!)"


@functools.lru_cache(maxsize=4096)
def _code_points(character_class: str, *, ignores_case: bool) -> list[tuple[int, int]] | None:
    """The code points that RE2 finds in a class, as inclusive ranges; None where it refuses the class."""
    options = re2.Options()
    options.log_errors = False
    try:
        found = re2.compile(f"{'(?i)' if ignores_case else ''}{character_class}+".encode(), options)
    except (re2.error, UnicodeEncodeError):
        return None
    spans = (match.span() for match in found.finditer(_every_character()))
    return [(_code_point_at(low), _code_point_at(high) - 1) for low, high in spans]


@functools.lru_cache(maxsize=1)
def _every_character() -> bytes:
    """All code points in order, as UTF-8."""
    return b"".join(chr(code).encode("utf-8", "surrogatepass") for code in range(sys.maxunicode + 1))


def _code_point_at(offset: int) -> int:
    """Which code point begins at an offset of `_every_character`."""
    first, begins = 0, 0
    for beyond, width in ((0x80, 1), (0x800, 2), (0x10000, 3)):
        ends = begins + (beyond - first) * width
        if offset < ends:
            return first + (offset - begins) // width
        first, begins = beyond, ends
    return first + (offset - begins) // 4
