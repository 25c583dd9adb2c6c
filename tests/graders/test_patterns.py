"""Patterns: two engines with one meaning, and captures as RE2 itself gives them."""

from __future__ import annotations

import pickle
import re

import pyarrow as pa
import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graders.arrays import encode, from_texts
from graders.batch import TrajectoryBatch
from graders.patterns import Pattern, PatternError, compile_pattern
from graders.text import Text

# True of every place, and unknown to RE2: it sends a pattern to the other engine and changes nothing.
_NOWHERE_FALSE = "(?=)"

_LITERALS = ["a", "b", "A", "é", "1", "_", " ", r"\.", r"\n", r"\x41", r"\("]
_FOLDED = [
    "i",
    "I",
    "İ",
    "ı",
    "k",
    "K",
    "s",
    "ſ",
    "ß",
    r"\x69",
    r"\x{131}",
    r"\Qi.\E",
    "[h-j]",
    "[^i]",
    "[ıK]",
]
_PROPERTIES = [r"\pL", r"\P{Lu}", r"[\p{Ll}_]", "[[:alpha:]]", "[[:^upper:]]", "[^[:^word:]i]", "[[:graph:]]"]
_BRACES = ["a{,2}", "b{x}", r"\Q{2}\E"]
_CLASSES = [".", "[ab]", "[^a]", "[a-z]", "[a^]", "[]a]", "[^]b]", "[(?<a>]", "[&&~|]"]
_ASCII = [r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"[\d_]", r"[^\w]", r"[\s\]]"]
_ATOMS = st.sampled_from([*_LITERALS, *_CLASSES, *_ASCII, *_FOLDED, *_PROPERTIES, *_BRACES])
_ANCHORS = st.sampled_from([r"\b", r"\B", "^", "$", "$", r"\A", r"\z"])
_SET_FLAGS = st.sampled_from(["(?i)", "(?-i)", "(?m)", "(?-m)", "(?s-i)"])
_QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?", "??"])
_OPENINGS = st.sampled_from(["(", "(", "(?:", "(?P<n{}>", "(?<m{}>", "(?i:", "(?m:", "(?-m:", "(?m-i:"])


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    """A pattern of the syntax that both engines have, where nothing repeats that may be empty."""
    count = iter(range(100))

    def alternation(left: int) -> str:
        return "|".join(sequence(left) for _ in range(draw(st.integers(1, 2))))

    def sequence(left: int) -> str:
        parts: list[str] = []
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["atom", "atom", "anchor", "flags", "group"]))
            if kind == "group" and left:
                opening = draw(_OPENINGS).format(next(count))
                # The atom makes each branch consume something, so that it may be repeated.
                inner = "|".join(draw(_ATOMS) + part for part in alternation(left - 1).split("|"))
                parts.append(f"{opening}{inner}){draw(_QUANTIFIERS)}")
            elif kind == "anchor":
                parts.append(draw(_ANCHORS))
            elif kind == "flags":
                parts.append(draw(_SET_FLAGS))
            else:
                parts.append(draw(_ATOMS) + draw(_QUANTIFIERS))
        return "".join(parts)

    return draw(st.sampled_from(["", "", "(?i)", "(?s)", "(?m)", "(?ims)"])) + alternation(depth)


TEXTS = st.lists(
    st.text(st.sampled_from("aAbBéÉ1_ .\n(]&^\x00😀٣iIİıkKKsſßẞ{,2}x"), max_size=8)
    | st.sampled_from(["a\n", "\na\n", "ab\r\nab", "iIİı", "a{,2}"]),
    min_size=1,
    max_size=5,
)


def _text(texts: list[str | None]) -> Text:
    array = from_texts(texts)
    return Text(TrajectoryBatch(pa.record_batch([array], names=["text"])), array)


def _compiles(source: str) -> bool:
    try:
        return not compile_pattern(source).is_bounded
    except PatternError:
        return False


@given(source=patterns().filter(_compiles), texts=TEXTS)
@example(source="(?i)É$", texts=["é", "é\n"])
@example(source=r"(a)|b(?:\d)", texts=["b1", "a"])
@example(source="(?:(?m:a$)|b)$", texts=["a\n", "b\n", "b"])
@example(source="(?m)(?-m:a$)|b$", texts=["a\n", "b\n", "a"])
@example(source="(?:(?m)a$|b$)|c$", texts=["a\n", "b\n", "c\n"])
@example(source=r"(?i)[^\W_]\W[[:^lower:]]", texts=["ſK1", "kK1", "sıſ"])
@example(source=r"(?i)\p{Lu}", texts=["ı", "ĸ", "i"])
@example(source=r"(?i)\Qi.\E", texts=["I.", "İ.", "i."])
def test_both_engines_agree(source: str, texts: list[str]) -> None:
    fast, slow = compile_pattern(source), compile_pattern(_sent_to_the_other_engine(source))
    assert slow.is_bounded
    found, _ = _text([*texts]).search(fast)
    found_slowly, is_timeout = _text([*texts]).search(slow)
    assert found.tolist() == found_slowly.tolist()
    assert not is_timeout.any()
    assert _text([*texts]).capture(fast).values == _text([*texts]).capture(slow).values


def _sent_to_the_other_engine(source: str) -> str:
    """The pattern in a group with a condition behind it, its flags still in front."""
    flags = re.match(r"\(\?[ims]+\)", source)
    at = flags.end() if flags else 0
    return f"{source[:at]}(?:{source[at:]}){_NOWHERE_FALSE}"


@given(source=patterns().filter(_compiles), texts=TEXTS)
@example(source=r"[(](?P<x>a)(?<y>b)?\((c)", texts=["(ab(c", "(a(c"])
@example(source=r"\Q(\E(a)|(b)", texts=["(a", "b"])
@example(source=r"(?:a(?i:(B)))(?P<captured>c)", texts=["abc", "aBc"])
def test_captures_are_those_of_re2_itself(source: str, texts: list[str]) -> None:
    pattern = compile_pattern(source)
    engine = re2.compile(pattern.expression.encode())
    expected: list[bytes] = []
    for text in texts:
        match = engine.search(encode(text))
        expected.append((match[1 if engine.groups else 0] or b"") if match else b"")
    assert _text([*texts]).capture(pattern).values == expected
    assert [pattern(text) for text in texts] == [engine.search(encode(text)) is not None for text in texts]


_MARKS = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "*",
    "+",
    "?",
    "|",
    "^",
    "$",
    ".",
    "\\",
    ",",
    "-",
    ":",
    "=",
    "!",
    "<",
    ">",
]
_OPENED = [
    "(?",
    "(?P<",
    "(?<",
    "(?i",
    "(?:",
    "(?=",
    "(?<!",
    "(?#",
    "(?R",
    "(?&",
    "(?|",
    "(?>",
    "(*",
    "(?x)",
    "(?b)",
]
_ESCAPED = [
    r"\p{",
    r"\Q",
    r"\E",
    r"\1",
    r"\k<",
    r"\g<",
    r"\x",
    r"\u",
    r"\N{",
    r"\d",
    r"\Z",
    r"\z",
    r"\K",
    r"\X",
    r"\L<",
]
_OTHERS = ["a", "1", "P", "[[:", ":]]", "[^", "&&", "\x00", "é", "\ud800", "\n", "{2}", "{1,3}", "{e<=1}"]
_SHARDS = st.lists(st.sampled_from([*_MARKS, *_OPENED, *_ESCAPED, *_OTHERS]), max_size=8).map("".join)


@given(source=st.one_of(_SHARDS, st.text(st.characters(codec=None), max_size=10)))
@example(source="a{1001}")
@example(source="((a{100}){100}){100}")
@example(source="(?P<a>x)(?P<a>y)")
@example(source="(" * 2000)
@example(source="(" * 2000 + ")" * 2000)
@example(source="\ud800")
@example(source="(?V0)a")
def test_any_text_is_a_pattern_or_a_pattern_error(source: str) -> None:
    try:
        pattern = compile_pattern(source)
    except PatternError:
        return
    assert pattern.source == source
    assert pickle.loads(pickle.dumps(pattern)) == pattern  # noqa: S301  (our own bytes)
    text = _text(["", "a1é\n", None, "\ud800"])
    found, _ = text.search(pattern)
    assert not found[2]
    assert text.capture(pattern).values[2] == b""


@pytest.mark.parametrize(
    ("source", "text", "captured"),
    [
        (r"(?<=n )\d+", "n 34", "34"),
        (r"(?<=n )\d+", "n ٣٤", ""),
        (r"(?!x)\w+$", "ab\n", ""),
        (r"(?!x)\w+$", "ab", "ab"),
        (r"(?m)(?!x)\w+$", "ab\n", "ab"),
        (r"^(?!x)\w+", "\nab", ""),
        (r"(?m)^(?!x)\w+", "\nab", "ab"),
        (r"(?!x)a.b", "a\nb", ""),
        (r"(?s)(?!x)a.b", "a\nb", "a\nb"),
        (r"(\w)\1", "xaab", "a"),
        (r"(?<n>\w)(?P=n)", "xaab", "a"),
        (r"(?!x)[\w&&\d]+", "ab&1", "ab&1"),
        (r"(?!x)[\W]", "é", "é"),
        (r"(?!x)\s", "\u00a0", ""),
        (r"(?!x)\S", "\u00a0", "\u00a0"),
        (r"(?i)(?!x)straße", "STRASSE", ""),
        (r"(?i)(?!x)straße", "STRAẞE", "STRAẞE"),
        (r"(?!x)\bé", "é", ""),
        (r"(?!x)a\z", "a\n", ""),
        (r"(?!x)[[:alpha:]]", "é", ""),
        (r"(?!x)[^[:digit:]]", "٣", "٣"),
        (r"(?!x)[[:^digit:]]", "٣", "٣"),
        (r"(?i)(?!x)[a-z]", "İ", ""),
        (r"(?i)(?!x)I", "ı", ""),
        (r"(?i)(?!x)kelvin", "\u212aELVIN", "\u212aELVIN"),
        (r"(?i)(?!x)(a)\1", "aA", "a"),
        (r"(?!x)\Qa.b", "a.b", "a.b"),
        (r"(?!x)\Qa.b", "axb", ""),
        (r"(?!x)\x{e9}", "é", "é"),
        (r"(?!x)a{,2}", "aa", ""),
        (r"(?!x)a\Z", "a\n", ""),
        (r"(?x)(?!x) a $ # ) the end ( $", "a\n", ""),
        (r"(?x)(?!x) a # (?m)", "a", "a"),
        (r"(?!x)(?m:a$)", "a\n", "a"),
        (r"(?!x)a(?-m:$)(?#(?m)", "a\n", ""),
        (r"(?i)(?<i>a)(?P=i)", "aA", "a"),
        (r"(?i)(a)?(?(1)i|b)", "aI", "a"),
    ],
)
def test_the_fallback_means_what_re2_means(source: str, text: str, captured: str) -> None:
    pattern = compile_pattern(source)
    assert pattern.is_bounded
    assert _text([text]).capture(pattern).values == [captured.encode()]


@pytest.mark.parametrize(
    "source",
    [
        "(",
        "a)",
        "[",
        "rt_[",
        "*a",
        r"\k<id>",
        "(?<=a*)b)",
        "a**",
        r"a\E(?=b)",
        "(?U)(?=a)a+",
        "(?=a)[[:foo:]]",
    ],
)
def test_what_no_engine_compiles_is_refused_with_a_reason(source: str) -> None:
    with pytest.raises(PatternError, match=r"\w"):
        compile_pattern(source)


def test_a_search_over_its_limit_costs_only_its_own_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graders.text.SECONDS_PER_TEXT", 0.05)
    pattern = compile_pattern(r"(?=x)x((a|a|aa)+)+$")
    texts = _text(["xa", "x" + "a" * 60 + "b", "b", None])
    found, is_timeout = texts.search(pattern)
    assert found.tolist() == [True, False, False, False]
    assert is_timeout.tolist() == [False, True, False, False]
    captures = texts.capture(pattern)
    assert captures.values == [b"a", b"", b"", b""]
    assert captures.is_timeout.tolist() == [False, True, False, False]


@settings(max_examples=20)
@given(n=st.integers(100, 3000))
def test_nested_repetition_is_linear_in_re2(n: int) -> None:
    pattern = compile_pattern("((a|a|aa)+)+$")
    assert isinstance(pattern, Pattern)
    assert not pattern.is_bounded
    found, _ = _text(["a" * n + "b"]).search(pattern)
    assert not found[0]
