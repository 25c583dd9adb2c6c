"""Findings in one pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graders.patterns import compile_pattern
from graders.values import json_text

_CAPTURING = re.compile(r"\((?!\?)|\(\?P?<(?![=!])")
_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_START = re.compile(r"(?:\(\?[a-zA-Z]+\))*\^?")
_FLAGS = re.compile(r"(?:\(\?[a-zA-Z]+\))+")
_ONLY_EMPTY = re.compile(r"[\^$()?:]*")


def lint_pattern(source: str, *, is_captured: bool) -> Iterator[tuple[str, str]]:
    """The codes and messages of what is found in a pattern that compiles.

    Args:
        source: the pattern.
        is_captured: whether the check goes on with what group 1 captures.
    """
    shown = json_text(source)
    if "\b" in source:
        yield (
            "backspace",
            f"{shown} looks for a backspace; write \\b in single quotes, or \\\\b in double ones",
        )
    branches = _branches(source)
    if len(branches) > 1 and _is_half_anchored(branches):
        grouped = json_text(_grouped(source))
        yield "anchored-alternation", f"in {shown} an anchor holds for one branch; write {grouped}"
    if len(branches) > 1 and is_captured and any(map(_captures, branches)):
        yield (
            "capture-in-branch",
            f"only group 1 of {shown} is captured; group the branches inside it: (a|b) or (?:x|y)(value)",
        )
    pattern = compile_pattern(source)
    if pattern.is_bounded:
        yield (
            "slow-pattern",
            f"{shown} has look-around or back-references; without them it runs in linear time",
        )
    elif pattern("") and _is_empty_by_chance(branches):
        where = "every text" if pattern("\ufffd") else "the empty text too"
        yield "matches-empty", f"{shown} is found in {where}; ask for at least one character, + for *"


def _branches(source: str) -> list[str]:
    """The branches of a pattern at its top level."""
    branches: list[str] = []
    depth, start = 0, 0
    for token in _TOKENS.finditer(source):
        if token[0] == "(":
            depth += 1
        elif token[0] == ")":
            depth -= 1
        elif token[0] == "|" and depth == 0:
            branches.append(source[start : token.start()])
            start = token.end()
    return [*branches, source[start:]]


def _is_empty_by_chance(branches: list[str]) -> bool:
    """Whether a pattern matches the empty text otherwise than by a branch like `^$`, which says so."""
    others = [branch for branch in branches if not _ONLY_EMPTY.fullmatch(branch)]
    return bool(others) and compile_pattern("|".join(others))("") is True


def _is_half_anchored(branches: list[str]) -> bool:
    """Whether only the first branch begins with ^, or only the last one ends with $.

    A branch with both stands for itself, as in `^$|x`; so does an anchor inside the alternation.
    """
    bare = [_FLAGS.sub("", branches[0], count=1), *branches[1:]]
    begins = [branch.startswith("^") for branch in bare]
    ends = [_ends(branch) for branch in bare]
    is_first = begins[0] and not ends[0] and not any(begins[1:])
    is_last = ends[-1] and not begins[-1] and not any(ends[:-1])
    return is_first or is_last


def _grouped(source: str) -> str:
    """The pattern with a group within its anchors."""
    start = _START.match(source)
    begin = start.end() if start else 0
    end = len(source) - 1 if _ends(source) else len(source)
    return f"{source[:begin]}(?:{source[begin:end]}){source[end:]}"


def _ends(branch: str) -> bool:
    return _TOKENS.findall(branch)[-1:] == ["$"]


def _captures(branch: str) -> bool:
    openings = (token.start() for token in _TOKENS.finditer(branch) if token[0] == "(")
    return any(_CAPTURING.match(branch, start) for start in openings)
