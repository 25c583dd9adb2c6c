"""JSON values: strict parsing, comparison by value, and paths into them.

Comparison (SEMANTICS section 4): objects by key at every depth, arrays in order and of equal
length, integers exact at any size, 1 equals 1.0, true is never 1, null equals only null.
"""

from __future__ import annotations

import decimal
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

from graders.recursion import room_for

Json: TypeAlias = Any
"""What `json.loads` makes: dict, list, str, int, float, bool or None."""

Path: TypeAlias = tuple[str | int, ...]
"""Keys and 0-based indexes, outermost first."""

Predicate: TypeAlias = Callable[[Json], bool]


class _Invalid:
    def __repr__(self) -> str:
        return "INVALID"


INVALID: Final = _Invalid()
"""What a text that is not JSON parses to, and what a path that leads nowhere resolves to."""

# Deeper nesting counts as invalid, so that a verdict never depends on how deep the caller's stack is.
MAX_DEPTH = 200
_LONG_INT = 4000
_SHORTEST_DEEP_TEXT = 2 * MAX_DEPTH
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
_decode = msgspec.json.Decoder().decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def parse_json(text: str) -> Json:
    """Parse one JSON text as RFC 8259 has it; `INVALID` where it is not one.

    NaN and Infinity are not JSON. Of a repeated key the last counts. Integers are exact at any
    size, lone surrogates are kept, nesting is bounded by `MAX_DEPTH`.
    """
    if len(text) > _SHORTEST_DEEP_TEXT and _is_too_deep(text):
        return INVALID
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        pass  # Malformed, or one of the things that only the slower parser reads.
    try:
        return _load_exactly(text)
    except RecursionError:
        with room_for(2 * MAX_DEPTH):
            return _load_exactly(text)


def _load_exactly(text: str) -> Json:
    try:
        return json.loads(text, parse_int=_exact_int, parse_constant=_refuse_constant)
    except ValueError:
        return INVALID


class LongInt(int):
    """An integer of thousands of digits, which Python reads and writes in quadratic time, if at all."""

    text: str

    def __repr__(self) -> str:
        return self.text


def _exact_int(digits: str) -> int:
    if len(digits) < _LONG_INT:
        return int(digits)
    number = LongInt(_join_digits(digits.removeprefix("-")) * (-1 if digits[0] == "-" else 1))
    number.text = digits
    return number


def _join_digits(digits: str) -> int:
    """The number of any count of digits, by halves: int() takes quadratic time, and refuses 4,300."""
    if len(digits) < _LONG_INT:
        return int(digits)
    low = len(digits) // 2
    return _join_digits(digits[:-low]) * 10**low + _join_digits(digits[-low:])


def _int_text(number: int) -> str:
    if isinstance(number, LongInt):
        return number.text
    return str(number) if number.bit_length() < _LONG_INT else str(decimal.Decimal(number))


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = deepest = 0
    for token in _BRACKETS.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in "]}":
            depth -= 1
    return deepest > MAX_DEPTH


def json_text(value: Json) -> str:
    """Write a value as compact JSON: separators `,` and `:`, characters as they are, key order kept."""
    try:
        return _encode(value)
    except ValueError:
        return _wide_json_text(value)  # A number beyond the range of floats or of int-to-text.


def _wide_json_text(value: Json) -> str:
    if isinstance(value, dict):
        members = (f"{json.dumps(str(k), ensure_ascii=False)}:{_wide_json_text(v)}" for k, v in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_wide_json_text, value)) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        return _int_text(value)
    if isinstance(value, float) and math.isnan(value):
        return "null"
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return json.dumps(value, ensure_ascii=False)


def parse_arguments(text: str | None) -> Json:
    """The arguments of a call as an object; `INVALID` for *bad arguments*.

    Null, blanks and the text `null` are no arguments, which is the empty object.
    """
    if text is None or not text or text.isspace():
        return {}
    value = parse_json(text)
    if isinstance(value, dict):
        return value
    return {} if value is None else INVALID


def contains(expected: Json) -> Predicate:
    """Compile the test whether a value contains `expected` (recursive subset).

    Every expected key is present with a contained value, extra keys are allowed; arrays are
    compared element by element at equal length.
    """
    return _compile(expected, extra_keys=True)


def equals(expected: Json) -> Predicate:
    """Compile the test whether a value equals `expected`."""
    return _compile(expected, extra_keys=False)


def _compile(expected: Json, *, extra_keys: bool) -> Predicate:
    if isinstance(expected, dict):
        members = [(key, _compile(value, extra_keys=extra_keys)) for key, value in expected.items()]
        size = len(members)

        def test_object(actual: Json) -> bool:
            if not isinstance(actual, dict) or (not extra_keys and len(actual) != size):
                return False
            for key, test in members:  # noqa: SIM110  (this is where the time goes)
                if key not in actual or not test(actual[key]):
                    return False
            return True

        return test_object
    if isinstance(expected, list):
        elements = [_compile(value, extra_keys=extra_keys) for value in expected]

        def test_array(actual: Json) -> bool:
            if not isinstance(actual, list) or len(actual) != len(elements):
                return False
            return all(test(value) for test, value in zip(elements, actual, strict=True))

        return test_array
    if expected is None or isinstance(expected, bool):
        return lambda actual: actual is expected
    if isinstance(expected, (int, float)):
        return lambda actual: (
            isinstance(actual, (int, float)) and not isinstance(actual, bool) and actual == expected
        )
    return lambda actual: isinstance(actual, str) and actual == expected


_STEP = re.compile(
    r"""
      (?P<dot>\.)? (?: (?P<key>[^.\[\]"]+) | "(?P<quoted>(?:[^"\\]|\\.)*)" )
    | \[ (?P<index>[0-9]+) \]
    | \[ "(?P<bracketed>(?:[^"\\]|\\.)*)" \]
    """,
    re.VERBOSE,
)


def parse_path(text: str) -> Path:
    """Parse a reference path such as `a.b[0]`, `$.a."b.c"` or `a["b.c"]`.

    Raises:
        ValueError: the text is no path; the message says from where on.
    """
    steps: list[str | int] = []
    at = 2 if text.startswith("$.") else 1 if text.startswith("$[") else 0
    start = at
    while at < len(text):
        match = _STEP.match(text, at)
        named = match is not None and match["index"] is None and match["bracketed"] is None
        if match is None or (named and bool(match["dot"]) != (at > start)):
            raise ValueError(f'no path from {text[at:]!r} on; write keys as a.b, a[0] or a."b.c"')
        if match["index"] is not None:
            steps.append(int(match["index"]))
        elif match["key"] is not None:
            steps.append(match["key"])
        else:
            quoted = match["quoted"] if match["quoted"] is not None else match["bracketed"]
            steps.append(re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
        at = match.end()
    if not steps:
        raise ValueError("an empty path leads nowhere; name a key")
    return tuple(steps)


def resolve(value: Json, path: Path) -> Json:
    """Follow `path` into `value`; `INVALID` where it leads nowhere."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step, INVALID) if isinstance(value, dict) else INVALID
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else INVALID
    return value


def quote(text: str, limit: int = 200) -> str:
    """Put a text in double quotes for evidence, as it is, cut at `limit` code points."""
    return f'"{cut(text, limit)}"'


def cut(text: str, limit: int = 200) -> str:
    """The first `limit` code points of a text, with `…` where more followed."""
    return text if len(text) <= limit else text[:limit] + "…"


def canonical_text(value: Json) -> str:
    """A text that two values share exactly if they are equal: keys sorted, 1.0 as 1."""
    return json.dumps(_normal(value), sort_keys=True, separators=(",", ":"))


def _normal(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_normal(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return f"s{value}"
    if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
        return f"n{value!r}"
    return f"n{_int_text(int(value) if isinstance(value, float) else value)}"  # The same for 1 and 1.0.


def depth_of(value: Json) -> int:
    """How deep a value is nested; 0 for a scalar."""
    return max(depth for _, depth in _walk(value))


def size_of(value: Json) -> int:
    """How many values a value is made of, itself included."""
    return sum(1 for _ in _walk(value))


def _walk(value: Json) -> Iterator[tuple[Json, int]]:
    """A value and all inside it, each with its depth."""
    waiting: list[tuple[Json, int]] = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        yield item, depth
        children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        waiting.extend((child, depth + 1) for child in children)
