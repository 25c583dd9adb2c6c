r"""Text of data as people may see it: what cannot be seen, or changes how others are seen, as an escape.

A trajectory may hold anything: escapes that colour or clear a terminal, overrides that turn the
order of letters round, tags that no font draws. All of it is shown as the escapes of JSON, `\u001b`,
and `\u{e0041}` past the first plane. A backslash of the data stays as it is. Joiners of letters and
emoji stay too, since scripts need them.
"""

from __future__ import annotations

import re

UNSEEN = (
    (0x00, 0x08),
    (0x0B, 0x0C),
    (0x0E, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),  # The soft hyphen.
    (0x061C, 0x061C),  # Marks, embeddings, overrides and isolates of direction: here, 200E and below.
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xFFFE, 0xFFFF),  # XML refuses these.
    (0xE0000, 0xE007F),
)
"""The first and last code points of ranges that are never shown as they are.

The carriage return is one more, unless it is part of a line break.
"""

_RANGES = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSEEN)
_IN_TEXT = re.compile(f"[{_RANGES}]|\r(?!\n)")
_IN_LINE = re.compile(f"[{_RANGES}\t\n\r]")
_NAMES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """A text of lines with escapes; tabs and line breaks stay."""
    return _IN_TEXT.sub(_escape, text)


def visible_line(text: str) -> str:
    """A text that stands on one line, with escapes for tabs and line breaks too."""
    return _IN_LINE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = f"{ord(character):04x}"
    return _NAMES.get(character) or (f"\\u{code}" if len(code) == 4 else f"\\u{{{code}}}")
