"""Text of data as people may see it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.outputs.visible_text import visible, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m\x07", "\\u001b[31mred\\u001b[0m\\u0007"),
        ("invoice-\u202egnp.exe", "invoice-\\u202egnp.exe"),
        ("a\x00b\x9bc\ufeff\ufffe", "a\\u0000b\\u009bc\\ufeff\\ufffe"),
        ("hi\U000e0041", "hi\\u{e0041}"),
        ("half \ud83d", "half \\ud83d"),
        ("100 %\r 99 %", "100 %\\r 99 %"),
        ("one\r\ntwo\tthree\n", "one\r\ntwo\tthree\n"),
        ("\\n ¬ 👩\u200d🚀 क्\u200dष", "\\n ¬ 👩\u200d🚀 क्\u200dष"),
    ],
)
def test_what_cannot_be_seen_is_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_stays_one() -> None:
    assert visible_line("one\r\ntwo\tthree\n\x1b") == "one\\r\\ntwo\\tthree\\n\\u001b"


@given(st.text(st.characters(codec=None)))
def test_no_control_comes_through_and_nothing_else_is_touched(text: str) -> None:
    line = visible_line(text)
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in line)
    assert not any(unicodedata.bidirectional(character) in {"LRO", "RLO", "RLI", "PDF"} for character in line)
    assert visible_line(line) == line
    plain = [c for c in text if visible_line(c) == c]
    assert all(c in line for c in plain)
