"""JSON: parsing, comparison, containment and paths, each against a plain oracle."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graders.values import (
    INVALID,
    MAX_DEPTH,
    canonical_text,
    contains,
    cut,
    equals,
    json_text,
    parse_arguments,
    parse_json,
    parse_path,
    quote,
    resolve,
)
from tests.reference import json_values, paths
from tests.strategies.records import ARGUMENTS, JSON

ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
# Pieces of JSON and of what is nearly JSON, put together at random.
_JSON_MARKS = ["{", "}", "[", "]", ",", ":", '"a"', '"', "1", "-", "0", ".", "5", "e", "E+", "true", "null"]
_NO_JSON = [
    "NaN",
    "Infinity",
    "\x00",
    "\x0b",
    "\ufeff",
    "\\",
    "\\u12",
    "'",
    "//",
    "01",
    " ",
    "\n",
    "\t",
    '"\\ud800"',
    "é",
]
NEARLY_JSON = st.lists(st.sampled_from([*_JSON_MARKS, *_NO_JSON]), max_size=9).map("".join)


def _loads(text: str) -> Any:
    """What the standard library makes of a text, NaN and Infinity refused."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        return INVALID


def _is_same(left: Any, right: Any) -> bool:
    """Equal with the same types throughout; -0.0 is not 0.0."""
    return repr(left) == repr(right)


@given(text=st.one_of(NEARLY_JSON, st.text(max_size=12)))
@example(text="1e400")
@example(text='{"a":1,"a":2}')
@example(text='"\\ud83d\\ude00"')
@example(text='"\x7f\u2028"')
def test_parsing_agrees_with_the_standard_library(text: str) -> None:
    assert _is_same(parse_json(text), _loads(text))


@given(value=ANY_JSON, indent=st.sampled_from([None, 1]), escaped=st.booleans())
def test_parsing_inverts_writing(value: Any, indent: int | None, escaped: bool) -> None:
    assert _is_same(
        parse_json(json.dumps(value, indent=indent, ensure_ascii=escaped)), _loads(json.dumps(value))
    )


@pytest.mark.parametrize("digits", [19, 20, 400, 4000, 4300, 4301, 9000])
def test_integers_are_exact_at_any_size(digits: int) -> None:
    number, other = "1" + "0" * (digits - 1), "1" + "0" * (digits - 2) + "1"
    value = parse_json(f"[{number}]")
    assert equals(value)(parse_json(f"[{number}]"))
    assert not equals(value)(parse_json(f"[{other}]"))
    assert parse_json(json_text(value)) == value


def test_integers_of_many_digits_hold_nobody_up() -> None:
    """Read and written by Python's own means one would take minutes."""
    text = "-1" + "0" * 200_000
    value = parse_json(f"[{text}]")
    assert value == [-(10**200_000)]
    assert json_text(value) == f"[{text}]"
    assert canonical_text(value) == canonical_text(parse_json(f"[ {text} ]"))
    assert repr(value) == f"[{text}]"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_is_bounded_and_never_crashes(opening: str) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]

    def nested(depth: int) -> Any:
        return parse_json(opening * depth + "1" + closing * depth)

    assert nested(MAX_DEPTH) is not INVALID
    assert nested(MAX_DEPTH + 1) is INVALID
    assert nested(200_000) is INVALID
    assert parse_json(opening * 200_000) is INVALID


def test_brackets_in_strings_are_no_nesting() -> None:
    text = "[" * 2000 + '\\"' + "{" * 2000
    assert parse_json(f'["{text}"]') == [text.replace('\\"', '"')]


def _at_depth(frames: int, text: str) -> Any:
    return parse_json(text) if frames == 0 else _at_depth(frames - 1, text)


def test_a_value_does_not_depend_on_how_deep_the_stack_is() -> None:
    # A lone surrogate makes the text one for the recursive parser.
    text = '["\\ud800",' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "]"
    assert parse_json(text) is not INVALID
    assert _at_depth(700, text) is not INVALID


@given(text=ARGUMENTS)
def test_arguments_agree_with_the_twin(text: str | None) -> None:
    value, expected = parse_arguments(text), json_values.arguments(text)
    if expected is json_values.BAD:
        assert value is INVALID
    else:
        assert json_values.is_equal(expected, value)


@given(left=JSON, right=JSON)
def test_comparison_agrees_with_plain_recursion(left: Any, right: Any) -> None:
    assert equals(left)(right) == json_values.is_equal(left, right)
    assert contains(left)(right) == json_values.is_contained(left, right)


@given(value=JSON)
def test_a_value_equals_and_contains_itself(value: Any) -> None:
    assert equals(value)(json.loads(json.dumps(value)))
    assert contains(value)(json.loads(json.dumps(value)))


@given(first=JSON, second=JSON, third=JSON)
def test_containment_is_an_order_below_equality(first: Any, second: Any, third: Any) -> None:
    assert equals(first)(second) == equals(second)(first)
    if equals(first)(second):
        assert contains(first)(second)
        assert equals(first)(third) == equals(second)(third)
    if contains(first)(second) and contains(second)(first):
        assert equals(first)(second)
    if contains(first)(second) and contains(second)(third):
        assert contains(first)(third)


@given(expected=st.dictionaries(st.sampled_from("ab"), JSON), extra=JSON)
def test_an_extra_key_matters_to_equality_alone(expected: dict[str, Any], extra: Any) -> None:
    actual = {**expected, "extra": extra}
    assert contains(expected)(actual)
    assert not equals(expected)(actual)


@given(value=st.one_of(JSON, ANY_JSON))
def test_compact_text_is_json_that_reads_back(value: Any) -> None:
    text = json_text(value)
    assert _is_same(parse_json(text), json.loads(json.dumps(value)))
    if "Infinity" not in (written := json.dumps(value, ensure_ascii=False, separators=(",", ":"))):
        assert text == written


def test_compact_text_of_what_json_lacks_is_json() -> None:
    assert parse_json(json_text({"a": [math.inf, -math.inf]})) == {"a": [math.inf, -math.inf]}
    assert parse_json(json_text([math.nan])) == [None]


_KEYS = st.text(min_size=1, max_size=4).filter(lambda key: not set(key) & set('.[]"'))


def _written(step: str | int, is_first: bool, style: int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    quoted = step.replace("\\", "\\\\").replace('"', '\\"')
    is_plain = bool(step) and not set(step) & set('.[]"') and not step.startswith("$")
    if is_plain and style == 0:
        return step if is_first else f".{step}"
    return f'["{quoted}"]' if style == 1 else f'"{quoted}"' if is_first else f'."{quoted}"'


@given(
    steps=st.lists(st.one_of(_KEYS, st.text(max_size=4), st.integers(0, 99)), min_size=1, max_size=4),
    styles=st.lists(st.integers(0, 2), min_size=4, max_size=4),
    has_root=st.booleans(),
)
def test_a_path_reads_as_it_was_written(steps: list[str | int], styles: list[int], has_root: bool) -> None:
    text = "".join(
        _written(step, number == 0, style)
        for number, (step, style) in enumerate(zip(steps, styles, strict=False))
    )
    if has_root:
        text = f"${text}" if text.startswith("[") else f"$.{text}"
    assert list(parse_path(text)) == steps
    assert paths.steps_of(text) == steps


@given(text=st.text(st.sampled_from('ab.[]"$0 1\\-'), max_size=8))
def test_a_text_is_a_path_or_a_value_error(text: str) -> None:
    try:
        path = parse_path(text)
    except ValueError:
        return
    assert path
    assert all(isinstance(step, str) or step >= 0 for step in path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "$.",
        "a.",
        ".a",
        "a..b",
        "a[",
        "a[]",
        "a[-1]",
        "a[x]",
        "a]b",
        'a"b"',
        '"a',
        'a["b]',
        "[0]a",
        "a[ 1 ]",
    ],
)
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="path"):
        parse_path(text)


def test_a_path_is_followed_by_type() -> None:
    value = {"a": [{"0": "x"}, "text"], "0": None}
    assert resolve(value, ("a", 0, "0")) == "x"
    assert resolve(value, ("0",)) is None
    for path in [("a", "0"), ("a", 1, 0), ("a", 2), ("b",), (0,), ("0", "x")]:
        assert resolve(value, path) is INVALID


@given(text=st.text(max_size=300))
def test_evidence_is_cut_at_200_code_points(text: str) -> None:
    shown = cut(text)
    assert shown == text if len(text) <= 200 else shown == text[:200] + "…"
    assert quote(text) == f'"{shown}"'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1.0, True),
        (0, None),
        (1, "1"),
        (True, "true"),
        ([1], [True]),
        ({"a": 0}, {"a": False}),
    ],
)
def test_values_of_different_kinds_are_different(one: Any, other: Any) -> None:
    for expected, actual in ((one, other), (other, one)):
        assert not equals(expected)(actual)
        assert not contains(expected)(actual)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", '{"a":NaN}', "[1,-Infinity]"])
def test_what_is_no_number_of_json_is_invalid(text: str) -> None:
    assert parse_json(text) is INVALID


def test_depth_is_that_of_the_deepest_part() -> None:
    deep = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert parse_json(f"[[],[],{deep}]") is not INVALID
    assert parse_json(f"[[],[],[{deep}]]") is INVALID


def test_a_text_of_the_limit_is_whole() -> None:
    assert cut("x" * 200) == "x" * 200
    assert cut("x" * 201) == "x" * 200 + "…"
