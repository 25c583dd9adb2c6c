"""Parameters of output-json, outputs that are nearly JSON, and references that they may equal."""

import json
from typing import Any

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.records import CONTENTS, JSON

_TYPES = ["null", "boolean", "number", "integer", "string", "array", "object"]
# A spec is UTF-8; a surrogate in a JSON value of it could only be an escape, which YAML refuses.
_VALUES = JSON.map(lambda value: json.loads(json.dumps(value).replace("\\ud800", "\\ufffd")))
_COUNTS = st.integers(0, 2)
_NUMBERS = st.sampled_from([-1, 0, 0.5, 1, 2**53])

_LEAVES = st.one_of(
    st.booleans(),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(
                st.sampled_from(_TYPES),
                st.lists(st.sampled_from(_TYPES), min_size=1, max_size=2, unique=True),
            ),
            "enum": st.lists(_VALUES, min_size=1, max_size=3),
            "minimum": _NUMBERS,
            "maximum": _NUMBERS,
            "exclusiveMinimum": _NUMBERS,
            "minLength": _COUNTS,
            "maxLength": _COUNTS,
            "pattern": st.sampled_from(["x", "^$", r"^\w$", "(?<=x)1", "é"]),
            "minItems": _COUNTS,
            "maxItems": _COUNTS,
            "uniqueItems": st.booleans(),
            "required": st.lists(st.sampled_from(["a", "b", "é"]), max_size=2, unique=True),
        },
    ),
    _VALUES.map(lambda value: {"const": value}),
)


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(
                st.sampled_from(["a", "b", "é", "1", "enum", "$ref", "pattern"]), inner, max_size=2
            ),
            "additionalProperties": inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    )


_SCHEMAS = st.recursive(_LEAVES, _grown, max_leaves=4).filter(lambda schema: isinstance(schema, dict))

_JSON_TEXTS = st.one_of(
    JSON.map(json.dumps),
    JSON.map(lambda value: json.dumps(value, ensure_ascii=False, indent=1)),
    st.sampled_from(
        ["", " 1 ", "1 1", "NaN", "-Infinity", "1e400", '{"a":1,"a":2}', "{'a':1}", "\ufeff1", "01", "nul"]
    ),
)
_FENCES = st.sampled_from(
    [
        "{}",
        "{}",
        "```\n{}\n```",
        "```json\n{}\n```",
        " \n```json\n{}\n```\n",
        "~~~\n{}\n~~~",
        "so:\n```\n{}\n```",
    ]
)
_OUTPUTS = st.builds(lambda fence, text: fence.replace("{}", text), _FENCES, _JSON_TEXTS)

_REFERENCES = st.one_of(
    st.sampled_from([None, "", "null", "[1]", "{", '{"answer":NaN}']),
    st.builds('{{"answer":{}}}'.format, _JSON_TEXTS),
    st.builds('{{"answers":[{},1],"answer":null}}'.format, JSON.map(json.dumps)),
)

_CONDITIONS = st.one_of(
    st.fixed_dictionaries({"schema": _SCHEMAS}),
    st.fixed_dictionaries({"equals": _VALUES}, optional={"schema": _SCHEMAS}),
    st.fixed_dictionaries(
        {"referencePath": st.sampled_from(["answer", "answers[0]"])}, optional={"schema": _SCHEMAS}
    ),
)

STRATEGY = CheckStrategy(
    check_type="output-json",
    configs=st.builds(
        lambda condition, fence: condition if fence is None else {**condition, "allow_fence": fence},
        _CONDITIONS,
        st.sampled_from([None, False, True]),
    ),
    examples=[
        {"schema": {}},
        {"schema": {"type": "integer"}, "allow_fence": True},
        {"schema": {"type": "object", "required": ["a"], "properties": {"a": {"minimum": 1}}}},
        {"schema": {"pattern": "x"}},
        {"equals": None},
        {"equals": 7},
        {"equals": {"a": [1, {"b": True}]}, "allow_fence": True},
        {"referencePath": "answer"},
        {"referencePath": "expected", "schema": {"type": "object"}},
    ],
    columns={"output": st.one_of(CONTENTS, _OUTPUTS, _OUTPUTS), "reference": _REFERENCES},
)
