"""The canonical text of a value: shared exactly by those that are equal."""

from __future__ import annotations

import decimal
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graders.values import canonical_text, equals, parse_json
from tests.reference import json_values
from tests.strategies.records import JSON

NUMBERS = [
    *(
        "0",
        "-0",
        "0.0",
        "-0.0",
        "0e5",
        "1",
        "1.0",
        "1e0",
        "10e-1",
        "-1",
        "0.1",
        "0.10000000000000001",
        "0.5",
        "5e-1",
    ),
    *(
        "100",
        "1e2",
        "1E+2",
        "9007199254740992",
        "9007199254740993",
        "9007199254740992.0",
        "1e22",
        "1e300",
        "1e400",
    ),
    *("10000000000000000000000", "5e-324", "4.9e-324", "-1e-400", "123456789012345678901234567890"),
]


@given(left=JSON, right=JSON)
@example(left=[0], right=[-0.0])
@example(left={"a": 1}, right={"a": True})
@example(left="n1", right=1)
@example(left="s", right="ss")
@example(left={"a": {"b": 1, "c": 2}}, right={"a": {"c": 2, "b": 1.0}})
@example(left=[[], {}], right=[{}, []])
@example(left=None, right="null")
def test_texts_are_shared_exactly_by_equals(left: Any, right: Any) -> None:
    is_equal = equals(left)(right)
    assert (canonical_text(left) == canonical_text(right)) == is_equal == json_values.is_equal(left, right)


@pytest.mark.parametrize("one", NUMBERS)
def test_numbers_are_the_same_as_their_values(one: str) -> None:
    for other in NUMBERS:
        left, right = parse_json(one), parse_json(other)
        is_equal = equals(left)(right)
        assert (canonical_text(left) == canonical_text(right)) == is_equal, other
        if one.lstrip("-").isdigit() and other.lstrip("-").isdigit():
            assert is_equal == (decimal.Decimal(one) == decimal.Decimal(other)), other


@given(value=JSON, indent=st.sampled_from([None, 2]), is_sorted=st.booleans())
def test_the_way_of_writing_does_not_matter(value: Any, indent: int | None, is_sorted: bool) -> None:
    rewritten = parse_json(json.dumps(value, indent=indent, sort_keys=is_sorted))
    assert canonical_text(rewritten) == canonical_text(value)


def test_integers_of_any_size_have_one() -> None:
    digits = "7" * 5000
    assert canonical_text(parse_json(digits)) == canonical_text(parse_json(f" {digits} "))
    assert canonical_text(parse_json(digits)) != canonical_text(parse_json(digits[:-1] + "8"))


@pytest.mark.parametrize("number", ["0", "1", "-1", "0.5", "1e400"])
def test_a_text_that_reads_like_a_number_is_none(number: str) -> None:
    assert canonical_text(number) != canonical_text(parse_json(number))
    assert canonical_text(canonical_text(number)) != canonical_text(number)
