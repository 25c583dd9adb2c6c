"""Texts in and out of Arrow without loss, whatever their bytes are."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graders import arrays

TEXTS = st.text(st.characters(codec=None), max_size=8)  # With surrogates.


@given(texts=st.lists(st.none() | TEXTS, max_size=6))
def test_texts_come_back_as_they_were(texts: list[str | None]) -> None:
    array = arrays.from_texts(texts)
    assert array.type == pa.string()
    assert arrays.to_texts(array) == texts
    assert arrays.to_texts(array.dictionary_encode()) == texts
    for start in range(len(texts)):
        assert arrays.to_texts(array.slice(start)) == texts[start:]


@given(text=TEXTS)
def test_a_text_is_its_bytes(text: str) -> None:
    assert arrays.decode(arrays.encode(text)) == text


@given(data=st.binary(max_size=12))
@example(data=b"\xed\xa0")
@example(data=b"\xed\xc0\x80")
@example(data=b"\xff\xed\xa0\x80\xed\xb0\x80\xf0\x9f\x98")
def test_any_bytes_are_a_text(data: bytes) -> None:
    text = arrays.decode(data)
    try:
        assert text == data.decode()
    except UnicodeDecodeError:
        assert any("\ud800" <= mark <= "\udfff" for mark in text)
    assert arrays.to_texts(pa.array([data]).view(pa.string())) == [text]


@given(texts=st.lists(st.none() | TEXTS, max_size=6))
def test_what_is_written_is_utf8_and_otherwise_as_it_was(texts: list[str | None]) -> None:
    array = arrays.to_writable(arrays.from_texts(texts))
    array.validate(full=True)
    for before, after in zip(texts, array.to_pylist(), strict=True):
        if before is None or after is None:
            assert before is after
        else:
            assert after == before or "\ufffd" in after
            assert after == arrays.replace_surrogates(before)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a", "a"),
        ("\ud83d", "\ufffd"),
        ("a\udc80b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
    ],
)
def test_surrogates_are_replaced(text: str, written: str) -> None:
    assert arrays.replace_surrogates(text) == written


@given(texts=st.lists(st.none() | TEXTS, max_size=8))
def test_codes_name_the_values(texts: list[str | None]) -> None:
    for array in (arrays.from_texts(texts), arrays.from_texts(texts).dictionary_encode()):
        values, codes = arrays.to_codes(array)
        assert [None if code < 0 else values[code] for code in codes.tolist()] == texts
        mask = arrays.per_value([value == "a" for value in values], codes)
        assert mask.tolist() == [text == "a" for text in texts]
