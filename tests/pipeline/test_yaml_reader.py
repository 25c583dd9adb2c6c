"""YAML by the 1.2 core schema, refused where it is ambiguous, bounded where it could grow."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InvalidError
from pipeline.specs.yaml_reader import MAX_BYTES, MAX_DEPTH, read_document


def _value(text: str) -> Any:
    return read_document("spec.yaml", text.encode()).value


def _problems(text: str | bytes) -> list[str]:
    with pytest.raises(InvalidError) as caught:
        read_document("spec.yaml", text if isinstance(text, bytes) else text.encode())
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        *(
            (text, text)
            for text in ("yes", "no", "on", "off", "y", "N", "12:30", "2024-01-01", "1_000", "0b1", "1e")
        ),
        *((text, text) for text in ("=", "v1.10", "+", ".", "nUll", "tRue", "1.2.3", "0x", "0o8", "1 2")),
        ("~", None),
        ("null", None),
        ("", None),
        ("true", True),
        ("FALSE", False),
        ("0", 0),
        ("-12", -12),
        ("+7", 7),
        ("0o17", 15),
        ("0x1F", 31),
        ("1.10", 1.1),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("-1.5E-2", -0.015),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("! 1", "1"),
        ("&anchor ! true", "true"),
        ("! &anchor null", "null"),
        ("!", ""),
        ("! [1]", [1]),
        ('"no"', "no"),
        ("'1'", "1"),
        ('"1\\u0031"', "11"),
        ("|\n  a\n  b\n", "a\nb\n"),
        (">-\n  a\n  b\n", "a b"),
    ],
)
def test_scalars(scalar: str, value: Any) -> None:
    read = _value(f"key: {scalar}")["key"]
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize("scalar", ["010", "08", "-01", "+00", "007"])
def test_leading_zeros_are_refused_with_a_hint_to_quote(scalar: str) -> None:
    (problem,) = _problems(f"a: 1\nkey: {scalar}")
    assert problem.startswith("spec.yaml:2: key: ")
    assert scalar in problem
    assert "quote" in problem


@pytest.mark.parametrize("scalar", [".inf", "-.Inf", ".nan", "1e999"])
def test_what_json_cannot_hold_is_refused(scalar: str) -> None:
    (problem,) = _problems(f"key: {scalar}")
    assert problem.startswith("spec.yaml:1: key: ")


@pytest.mark.parametrize(
    "text",
    ["a: !!python/object:os.system x", "a: !!int '3'", "a: !mine [1]", "!!set {a, b}", "a: !!binary aGk="],
)
def test_tags_are_refused(text: str) -> None:
    assert "tag" in _problems(text)[0]


def test_duplicate_keys_are_all_named_with_their_lines() -> None:
    problems = _problems("a: 1\nb: {c: 1, c: 2}\na: 3\nd:\n  - {e: 1, 'e': 2}\n")
    assert [problem.split(": ")[:2] for problem in problems] == [
        ["spec.yaml:2", "b.c"],
        ["spec.yaml:3", "a"],
        ["spec.yaml:5", "d[0].e"],
    ]


def test_keys_are_texts() -> None:
    assert _value("{on: 1, no: 2, 3: 4, null: 5}") == {"on": 1, "no": 2, "3": 4, "null": 5}
    assert "key" in _problems("? [a, b]\n: 1")[0]
    assert "merge" in _problems("a: &x {b: 1}\nc: {<<: *x}")[0]


def test_aliases_are_expanded() -> None:
    assert _value("a: &x {b: [1]}\nc: *x") == {"a": {"b": [1]}, "c": {"b": [1]}}


def test_aliases_are_bounded() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert any("alias" in problem for problem in _problems("\n".join(levels)))


def test_an_alias_of_itself_is_refused() -> None:
    assert _problems("a: &x [1, *x]")


def test_nesting_is_bounded() -> None:
    def nested(depth: int) -> str:
        return "[" * depth + "]" * depth

    assert _value(nested(MAX_DEPTH)) is not None
    assert "nested" in _problems(nested(MAX_DEPTH + 2))[0]
    assert "nest" in _problems(nested(100_000))[0]


def test_size_is_bounded() -> None:
    assert str(MAX_BYTES) in _problems(b"#" * (MAX_BYTES + 1))[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1", 2),
        ("a: 1\n\tb: 2", 2),
        ("a: 1\n b: 2", 2),
        ("a: 'x\n\n\n", 1),
        ("---\na: 1\n---\nb: 2", 3),
        ("a: *nowhere", 1),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_line(text: str, line: int) -> None:
    (problem,) = _problems(text)
    assert problem.startswith(f"spec.yaml:{line}: not YAML")


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    assert len(_problems(text)) == 1


def test_encodings() -> None:
    assert read_document("f", b"\xef\xbb\xbfa: \xc3\xa9").value == {"a": "é"}
    assert _problems(b"a: 1\nb: \xff")[0].startswith("spec.yaml:2: not UTF-8")
    assert "UTF-16" in _problems("a: 1".encode("utf-16"))[0]
    assert _problems("a: 1\nb: \x00\x00") == ["spec.yaml:2: a NUL character: this is no text file in UTF-8"]


@pytest.mark.parametrize(
    ("character", "escape"),
    [("\x85", "N"), ("\u2028", "L"), ("\u2029", "P"), ("\x07", "x07"), ("\ufeff", "ufeff")],
)
def test_characters_that_readers_of_yaml_take_differently_are_refused_with_their_escape(
    character: str, escape: str
) -> None:
    (problem,) = _problems(f"a: 1\nb: x{character}y\n")
    assert problem.startswith("spec.yaml:2: ")
    assert problem.endswith(f'write "\\{escape}" in double quotes')
    assert _value(f'b: "x\\{escape}y"') == {"b": f"x{character}y"}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_all_ends_of_lines_count(newline: str) -> None:
    (problem,) = _problems(newline.join(["a: 1", "b: 2", "a: 3", ""]))
    assert problem.startswith("spec.yaml:3: a: ")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('pattern: "\\d+"', "single quotes"),
        ("a:\n\tb: 1", "a tab"),
        ("a: @x", "quote"),
        ("a: `x`", "quote"),
        ("a: %x", "quote"),
        ("a: *x", "quote"),
        ("a: [*]", "quote"),
        ("a: b: c", "quote"),
        ("a: {b: ${X}}", "quoted"),
        ("a: 1\n---\na: 1", "one document"),
        ('a: "\\ud800"', "surrogate"),
    ],
)
def test_common_slips_are_told_with_a_remedy(text: str, hint: str) -> None:
    (problem,) = _problems(text)
    assert problem.startswith("spec.yaml:")
    assert hint in problem


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"a": [1,],\n}', ":1: not JSON"),
        ('{"a": 1\n "b": 2}', ":2: not JSON"),
        ("{'a': 1}", ":1: not JSON"),
        ('{"a": 1} // done', ":1: not JSON"),
        ("a: 1", ":1: not JSON"),
        ('{"a":\nNaN}', ":2: a: NaN is not JSON"),
        ('{"a": 1,\n "a": 2}', ":2: a: the key 'a' stands here twice"),
    ],
)
def test_a_json_file_is_read_as_strictly_as_json(text: str, hint: str) -> None:
    with pytest.raises(InvalidError) as caught:
        read_document("spec.json", text.encode())
    assert str(caught.value).startswith(f"spec.json{hint}")


def test_json_may_hold_what_yaml_takes_for_the_end_of_a_line() -> None:
    text = "a\x85b\u2028c\u2029d\x7fe\ufefff\U0001f600"
    document = read_document(
        "spec.json", json.dumps({"a": text, "b": 1}, ensure_ascii=False, indent=1).encode()
    )
    assert document.value == {"a": text, "b": 1}
    assert document.lines[("b",)] == 3


def test_the_text_of_a_document_is_as_written() -> None:
    text = '{"a": "\\ud83d\\ude00\u2028"}'
    assert read_document("spec.json", text.encode()).text == text


@given(
    value=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=40), inner, max_size=3),
        max_leaves=8,
    ),
    indent=st.sampled_from([None, 2]),
    escaped=st.booleans(),
)
def test_json_is_read_as_json(value: Any, indent: int | None, escaped: bool) -> None:
    text = json.dumps({"key": value}, indent=indent, ensure_ascii=True)
    if not escaped and (plain := json.dumps({"key": value}, indent=indent, ensure_ascii=False)).isprintable():
        text = plain
    assert _value(text) == {"key": value}


def test_lines_are_those_of_the_values() -> None:
    document = read_document("f", b"a:\n  - x\n  -\n    b: 1\n\n    c: 2\n")
    assert {
        path: document.lines[path] for path in [("a",), ("a", 0), ("a", 1), ("a", 1, "b"), ("a", 1, "c")]
    } == {
        ("a",): 1,
        ("a", 0): 2,
        ("a", 1): 4,
        ("a", 1, "b"): 4,
        ("a", 1, "c"): 6,
    }
