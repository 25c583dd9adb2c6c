"""Globs of paths, against a reader that tries every way."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graders.families.workspace import compile_glob
from tests.reference.globs import matches

_MARKS = [
    "*",
    "**",
    "**/",
    "/",
    "?",
    "a",
    "b",
    ".",
    "[ab]",
    "[!a]",
    "[a-c]",
    "[]a]",
    "[!]]",
    "[",
    "]",
    "-",
    "é",
    "\n",
]
GLOBS = st.lists(st.sampled_from([*_MARKS, "*", "/", "a", "\\", "^", "(", "+", "|", "{a}"]), max_size=6).map(
    "".join
)
PATHS = st.lists(
    st.sampled_from(["a", "b", "c", "/", ".", "]", "[", "-", "é", "\n", "\\", "*", "z"]), max_size=6
).map("".join)


def _fits(glob: str, path: str) -> bool:
    return compile_glob(glob).fullmatch(path) is not None


@given(glob=GLOBS, path=PATHS)
@example(glob="**/a", path="a")
@example(glob="a/**/b", path="a/b")
@example(glob="a/**", path="a/")
@example(glob="**", path="a/b/.c")
@example(glob="[a", path="[a")
@example(glob="[]", path="[]")
def test_globs_are_read_as_by_the_twin(glob: str, path: str) -> None:
    try:
        fits = _fits(glob, path)
    except re.error:
        # A range that runs backwards is the only thing that is no glob; the spec is refused.
        assert "-" in glob
        return
    assert fits == matches(glob, path)


@given(path=PATHS)
def test_a_path_matches_itself_and_all(path: str) -> None:
    escaped = "".join(f"[{mark}]" if mark in "*?[" else mark for mark in path)
    assert _fits(escaped, path)
    assert _fits("**", path)


@given(path=PATHS)
def test_a_star_stays_in_its_folder(path: str) -> None:
    assert _fits("*", path) == ("/" not in path)
    assert _fits("?", path) == (len(path) == 1 and path != "/")


@given(glob=st.text(max_size=8), path=st.text(max_size=8))
def test_any_text_is_a_glob_or_refused(glob: str, path: str) -> None:
    try:
        _fits(glob, path)
    except re.error:
        assert "[" in glob


@pytest.mark.parametrize(
    ("glob", "inside", "outside"),
    [
        ("*.py", ["a.py", ".py", "é.py"], ["a/b.py", "a.pyc", "A.PY", "a.py\n"]),
        ("**/*.py", ["a.py", "a/b.py", "a/b/c.py", ".a/.b.py"], ["a.pyc", "a/b.py/c"]),
        ("src/**", ["src/", "src/a", "src/a/b"], ["src", "asrc/a"]),
        ("src/**/test_*", ["src/test_a", "src/a/b/test_c"], ["src/a/test_c/d", "test_a"]),
        ("a?c", ["abc", "a.c"], ["ac", "a/c", "abbc"]),
        ("[!a]*", ["b", ".a"], ["a", "/b", ""]),
        ("a[0-9]", ["a7"], ["a", "a77", "ax"]),
        ("a+(b)", ["a+(b)"], ["aab"]),
    ],
)
def test_globs_as_people_write_them(glob: str, inside: list[str], outside: list[str]) -> None:
    assert [path for path in inside if not _fits(glob, path)] == []
    assert [path for path in outside if _fits(glob, path)] == []
