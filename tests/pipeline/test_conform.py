"""Columns of any like Arrow type become those of the record, by name and by meaning."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.arrays import from_texts, to_texts
from graders.trajectory import RECORD_FIELDS
from pipeline.sources.conform import LayoutError, conform, conform_rows
from pipeline.sources.views import without_views

TEXT = pa.string()
EVENTS = RECORD_FIELDS["events"]
_TEXTS = ["a", None, "", "é\x00", "a"]
_MS = pa.timestamp("ms")


def _dictionary(index: pa.DataType) -> Callable[[pa.Array], pa.Array]:
    return lambda array: array.dictionary_encode().cast(pa.dictionary(index, pa.string()))


_TEXT_FORMS: dict[str, Callable[[pa.Array], pa.Array]] = {
    "large": lambda array: array.cast(pa.large_string()),
    "view": lambda array: array.cast(pa.string_view()),
    "binary": lambda array: array.cast(pa.binary()),
    "large binary": lambda array: array.cast(pa.large_binary()),
    "binary view": lambda array: array.cast(pa.binary_view()),
    "dictionary": lambda array: array.dictionary_encode(),
    "small dictionary": _dictionary(pa.int8()),
    "unsigned dictionary": _dictionary(pa.uint16()),
    "dictionary with repeats": lambda _: pa.DictionaryArray.from_arrays(
        pa.array([0, None, 1, 2, 3], pa.int16()), pa.array(["a", "", "é\x00", "a"])
    ),
    "dictionary with a null value": lambda _: pa.DictionaryArray.from_arrays(
        pa.array([0, 3, 1, 2, 0], pa.int16()), pa.array(["a", "", "é\x00", None])
    ),
    "run-end-encoded": pc.run_end_encode,
    "slice": lambda array: pa.concat_arrays([pa.array(["x", None]), array, pa.array(["y"])]).slice(2, 5),
}


@pytest.mark.parametrize("form", _TEXT_FORMS)
@pytest.mark.parametrize("target", [TEXT, pa.dictionary(pa.int32(), TEXT)], ids=["text", "coded"])
def test_texts_of_any_form(form: str, target: pa.DataType) -> None:
    array = conform(_TEXT_FORMS[form](pa.array(_TEXTS, TEXT)), target)
    array.validate(full=True)
    assert array.type == target
    assert array.to_pylist() == _TEXTS
    if pa.types.is_dictionary(target):
        assert len(set(array.dictionary.to_pylist())) == len(array.dictionary), "codes must tell texts apart"


@pytest.mark.parametrize("target", list(RECORD_FIELDS.values()), ids=list(RECORD_FIELDS))
def test_a_null_typed_column_is_null(target: pa.DataType) -> None:
    array = conform(pa.nulls(3), target)
    assert array.type == target
    assert array.null_count == 3


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array([1, None, -5]), ["1", None, "-5"]),
        (pa.array([True, None]), ["true", None]),
        (pa.array([1.5, 1.0, float("inf")]), ["1.5", "1.0", "Infinity"]),
        (pa.array([{"b": 1, "a": "é"}, None, {"b": None, "a": "x"}]), ['{"b":1,"a":"é"}', None, '{"a":"x"}']),
        (pa.array([[1, 2], [], None]), ["[1,2]", "[]", None]),
        (pa.array([[("k", "v"), ("é", None)], []], pa.map_(TEXT, TEXT)), ['{"k":"v","é":null}', "{}"]),
        (pa.array([[("k", 1), ("k", 2)]], pa.map_(TEXT, pa.int64())), ['{"k":2}']),
        (
            pa.array(
                [{"a": [{"b": [("c", 1)]}]}],
                pa.struct([("a", pa.list_(pa.struct([("b", pa.map_(TEXT, pa.int8()))])))]),
            ),
            ['{"a":[{"b":{"c":1}}]}'],
        ),
        (pa.array([decimal.Decimal("1.50")]), ["1.50"]),
        (pa.array([datetime.date(2024, 5, 1)]), ["2024-05-01"]),
        (pa.array([b"\xff\xfe"]), ["\udcff\udcfe"]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_values_where_the_record_has_text(array: pa.Array, texts: list[str | None]) -> None:
    if pa.types.is_floating(array.type):
        assert to_texts(conform(array, TEXT))[:2] == texts[:2]
    else:
        assert to_texts(conform(array, TEXT)) == texts


@pytest.mark.parametrize(
    "array",
    [
        pa.array([2**62], pa.timestamp("us")),
        pa.array([1], pa.timestamp("ns", tz="UTC")),
        pa.array([2**62], pa.int64()).cast(pa.duration("ns")),
        pa.array([{"t": 2**62}], pa.struct([("t", pa.timestamp("us"))])),
        pa.array([{"x": float("nan")}]),
        pa.array([{"d": decimal.Decimal("12345678901234567890.123")}]),
        pa.array([{"b": b"\xff"}]),
    ],
    ids=lambda array: str(array.type),
)
def test_odd_values_never_raise_as_text(array: pa.Array) -> None:
    (text,) = to_texts(conform(array, TEXT))
    assert text


def _events(kind: pa.DataType) -> list[dict[str, Any]]:
    return conform(pa.array([[{"type": "tool_call", "turn": 1}]], kind), EVENTS).to_pylist()[0]


def test_struct_fields_go_by_name() -> None:
    reordered = pa.list_(pa.struct([("extra", pa.int8()), ("turn", pa.int64()), ("type", pa.large_string())]))
    (event,) = _events(reordered)
    assert list(event) == [field.name for field in EVENTS.value_type]
    assert (event["type"], event["turn"]) == ("tool_call", 1)
    assert {value for name, value in event.items() if name not in ("type", "turn")} == {None}


_STRUCT = pa.struct([("type", TEXT), ("turn", pa.int32())])


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(_STRUCT),
        pa.large_list(_STRUCT),
        pa.list_(_STRUCT, 1),
        pa.list_view(_STRUCT),
        pa.large_list_view(_STRUCT),
        pa.list_(pa.field("element", _STRUCT, nullable=False)),
        pa.list_(
            pa.struct([("type", pa.dictionary(pa.int16(), TEXT)), ("turn", pa.uint8()), ("step", pa.null())])
        ),
        pa.list_(pa.struct([("type", pa.binary()), ("turn", pa.int64()), ("content", pa.list_(pa.int8()))])),
    ],
    ids=str,
)
def test_lists_of_any_form(kind: pa.DataType) -> None:
    rows = [[{"type": "tool_call", "turn": 7}], [{"type": None, "turn": None}], [{"type": "x", "turn": 0}]]
    array = pa.array(rows, kind)
    for part in (array, array.slice(1), array.slice(1, 1)):
        found = conform(part, EVENTS)
        found.validate(full=True)
        assert _pairs(found) == [
            [(kind.decode() if isinstance(kind, bytes) else kind, turn) for kind, turn in events]
            for events in _pairs(part)
        ]


def _pairs(array: pa.Array) -> list[list[tuple[Any, Any]]]:
    return [[(event["type"], event["turn"]) for event in events] for events in array.to_pylist()]


@pytest.mark.parametrize(
    "kind", [pa.list_(_STRUCT), pa.large_list(_STRUCT), pa.list_view(_STRUCT), pa.list_(_STRUCT, 1)], ids=str
)
def test_null_lists_and_null_events_are_kept_apart(kind: pa.DataType) -> None:
    rows = [None, [None], [{"type": "a", "turn": 1}], None]
    found = conform(pa.array(rows, kind), EVENTS)
    assert found.is_null().to_pylist() == [True, False, False, True]
    assert pc.list_value_length(found).to_pylist() == [None, 1, 1, None]
    assert found.to_pylist()[2][0]["type"] == "a"


def test_lists_of_nothing() -> None:
    assert conform(pa.array([[], None, []], pa.list_(pa.null())), EVENTS).to_pylist() == [[], None, []]
    assert len(conform(pa.array([], pa.list_(pa.null())), EVENTS)) == 0


def test_garbage_behind_a_null_list_is_passed_over() -> None:
    values = pa.StructArray.from_arrays(
        [pa.array(["x", "y", "z"]), pa.array([1, 2, 3])], names=["type", "turn"]
    )
    mask = pa.array([False, True, False])
    array = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), values, mask=mask)
    found = conform(array, EVENTS)
    assert [None if row is None else [event["type"] for event in row] for row in found.to_pylist()] == [
        ["x"],
        None,
        ["z"],
    ]


TAGS = RECORD_FIELDS["tags"]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[("k", "v"), ("n", "1")], None, []], pa.map_(TEXT, TEXT)),
        pa.array([{"k": "v", "n": 1}, None, {}], pa.struct([("k", TEXT), ("n", pa.int8())])),
        pa.array(
            [[{"key": "k", "value": "v"}, {"key": "n", "value": "1"}], None, []],
            pa.list_(pa.struct([("key", TEXT), ("value", TEXT)])),
        ),
        pa.array(
            [[("k", "v"), ("n", "1")], None, []], pa.map_(pa.string_view(), pa.dictionary(pa.int8(), TEXT))
        ),
    ],
    ids=lambda array: str(array.type),
)
def test_maps_of_any_form(array: pa.Array) -> None:
    found = conform(array, TAGS)
    found.validate(full=True)
    assert found.to_pylist() == [[("k", "v"), ("n", "1")], None, []]


def test_maps_keep_their_rows_when_sliced() -> None:
    array = pa.array(
        [[("a", "1")], [("b", "2"), ("c", "3")], None, [("d", "4")]], pa.map_(TEXT, pa.large_string())
    )
    assert conform(array.slice(1), TAGS).to_pylist() == [[("b", "2"), ("c", "3")], None, [("d", "4")]]


def test_surrogates_pass_through_every_form() -> None:
    texts = ["\ud800x", None, "ok"]
    plain = from_texts(texts)
    for array in (plain, plain.view(pa.binary()), plain.view(pa.binary()).cast(pa.binary_view())):
        assert to_texts(conform(array, TEXT)) == texts
        assert to_texts(conform(array, pa.dictionary(pa.int32(), TEXT))) == texts


def test_views_at_any_depth_become_plain() -> None:
    message = pa.struct([("role", pa.string()), ("content", pa.string_view())])
    batch = pa.record_batch(
        {
            "flat": pa.array(["a", None], pa.string_view()),
            "bytes": pa.array([b"\xff", None], pa.binary_view()),
            "list": pa.array([[{"role": "user", "content": "hi"}], None], pa.large_list(message)),
            "map": pa.array([[("k", ["v"])], None], pa.map_(pa.string_view(), pa.list_(pa.string_view()))),
            "number": pa.array([1, None]),
        }
    )
    plain = without_views(batch)
    assert plain.to_pylist() == batch.to_pylist()
    assert plain.take(pa.array([0])).filter(pa.array([True])).to_pylist() == batch.to_pylist()[:1]


@pytest.mark.parametrize(
    ("array", "target"),
    [
        (pa.array(["x"]), EVENTS),
        (pa.array([1]), EVENTS),
        (pa.array([[1]]), EVENTS),
        (pa.array([{"a": 1}]), EVENTS),
        (pa.array(["x"]), TAGS),
        (pa.array([["x"]]), TAGS),
        (pa.array([[{"type": "a", "turn": [1]}]]), EVENTS),
        (pa.array([[{"type": "a", "turn": {"n": 1}}]]), EVENTS),
    ],
    ids=lambda value: str(value.type if isinstance(value, pa.Array) else value)[:40],
)
def test_a_type_that_cannot_fit_is_refused(array: pa.Array, target: pa.DataType) -> None:
    with pytest.raises(LayoutError, match="expected"):
        conform(array, target)
    with pytest.raises(LayoutError):
        conform(array.slice(0, 0), target)


@given(st.lists(st.sampled_from([0, 1, 2**31 - 1, 2**31, -(2**40), None]), min_size=1, max_size=12))
def test_only_the_rows_that_do_not_fit_are_bad(turns: list[int | None]) -> None:
    kind = pa.list_(pa.struct([("type", TEXT), ("turn", pa.int64())]))
    array = pa.array([[{"type": "a", "turn": turn}] for turn in turns], kind)
    found, bad = conform_rows(array, EVENTS)
    fits = [turn is None or -(2**31) <= turn < 2**31 for turn in turns]
    assert sorted(bad) == list(np.flatnonzero(~np.array(fits)))
    assert all(bad.values())
    for row, turn, is_good in zip(found.to_pylist(), turns, fits, strict=True):
        if is_good:
            assert [(event["type"], event["turn"]) for event in row] == [("a", turn)]


def test_times_of_any_unit() -> None:
    moment = datetime.datetime(2024, 5, 1, 12, 30, 0, 123000, tzinfo=datetime.UTC)
    for kind in (
        pa.timestamp("us", tz="UTC"),
        pa.timestamp("ms", tz="UTC"),
        pa.timestamp("ns", tz="Europe/Berlin"),
    ):
        array = pa.array(
            [[{"type": "a", "timestamp": moment}]], pa.list_(pa.struct([("type", TEXT), ("timestamp", kind)]))
        )
        (event,) = conform(array, EVENTS).to_pylist()[0]
        assert event["timestamp"] == moment
