"""The text of a document, decoded: what it may hold, and how JSON is made readable as YAML.

JSON is YAML but for a few characters: it may hold raw ones that YAML refuses or takes for the end of a
line, and it writes characters beyond the basic plane as two escapes. Both are rewritten as the escapes
that YAML knows, on the same line, so that positions stay right.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import NoReturn

from pipeline.errors import InvalidError, Problem, invalid

# What YAML 1.2 does not print, and what its predecessor (and the parser here) takes for the end of a line.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\u2028\u2029]")
_BREAKS = {"\x85": "N", "\u2028": "L", "\u2029": "P"}
_SURROGATES = re.compile(r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


@dataclasses.dataclass(frozen=True)
class SourceText:
    """What a file holds.

    Attributes:
        text: its text.
        yaml: the same, fit for a YAML parser.
        is_json: whether it is JSON.
    """

    text: str
    yaml: str
    is_json: bool = False


def decode(file: str, data: bytes) -> SourceText:
    """The text of a file.

    Args:
        file: its name; one that ends in `.json` holds JSON and nothing more lenient.
        data: its bytes, UTF-8, maybe with a byte order mark.

    Raises:
        InvalidError: the bytes are not UTF-8, hold control characters, or are no JSON in a JSON file.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        hint = "; it looks like UTF-16: save it as UTF-8" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise invalid(
            f"{file}:{line}", f"not UTF-8: byte {error.start} is {data[error.start]:#04x}{hint}"
        ) from error
    if _is_json(file, text):
        return SourceText(text, _as_yaml(text), is_json=True)
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise invalid(f"{file}:{line}", "a NUL character: this is no text file in UTF-8")
    problems = [_unprintable(file, text, match) for match in _UNPRINTABLE.finditer(text)]
    if problems:
        raise InvalidError(problems)
    return SourceText(text, text)


def _unprintable(file: str, text: str, match: re.Match[str]) -> Problem:
    character = match[0]
    line = text.count("\n", 0, match.start()) + 1
    escape = _BREAKS.get(character) or f"x{ord(character):02x}"
    if ord(character) > 0xFF and character not in _BREAKS:
        escape = f"u{ord(character):04x}"
    message = f'the character U+{ord(character):04X} must be escaped: write "\\{escape}" in double quotes'
    return Problem(f"{file}:{line}", "", message)


def _is_json(file: str, text: str) -> bool:
    """Whether a text is JSON.

    Raises:
        InvalidError: it is not, but its file's name says so.
    """
    is_named_so = file.endswith(".json")
    if not is_named_so and not text.lstrip().startswith("{"):
        return False
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        if not is_named_so or not text.strip():
            return False
        what = f"{error.msg}, at column {error.colno}"
        raise invalid(f"{file}:{error.lineno}", f"not JSON: {what}") from error
    except (ValueError, RecursionError):  # The reader of values says what is wrong, and where.
        return True
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _as_yaml(text: str) -> str:
    """JSON text with the escapes of YAML where the two differ."""

    def join(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return bytes.fromhex(match[1] + match[2]).decode("utf-16-be")

    # Outside of strings JSON has no such characters.
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", _SURROGATES.sub(join, text))
