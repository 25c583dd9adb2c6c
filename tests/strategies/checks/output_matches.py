"""Parameters of outputMatches, and references that its paths lead into."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.records import TEXTS

_VALUES = TEXTS.filter(bool).map(lambda text: text.encode("utf-8", "replace").decode())
_OPTIONS = {"mode": st.sampled_from(["contains", "notContains"]), "caseSensitive": st.booleans()}
_PATHS = [
    "answer",
    "$.answer",
    "expected.answer",
    "answers[0]",
    "$.answers[1].text",
    '"a.b"',
    'expected["a.b"]',
]

_TEXTS = st.sampled_from(
    [
        '"x"',
        '"ok"',
        '"Straße"',
        '"id=7"',
        '""',
        "null",
        "7",
        "[]",
        '"\\ud83d"',
        '"e\\u0301"',
        '{"answer":"x"}',
    ]
)
_REFERENCES = st.one_of(
    st.sampled_from([None, "", "null", "[]", '"x"', "{", '{"answer":NaN}']),
    st.builds('{{"answer":{},"expected":{{"answer":{},"a.b":{}}}}}'.format, _TEXTS, _TEXTS, _TEXTS),
    st.builds('{{"answers":[{},{{"text":{}}}],"a.b":{}}}'.format, _TEXTS, _TEXTS, _TEXTS),
    st.builds('{{"expected":{0},"answers":{0},"answer":"x","answer":{0}}}'.format, _TEXTS),
)

STRATEGY = CheckStrategy(
    check_type="outputMatches",
    configs=st.one_of(
        st.fixed_dictionaries({"value": _VALUES}, optional=_OPTIONS),
        st.fixed_dictionaries({"referencePath": st.sampled_from(_PATHS)}, optional=_OPTIONS),
    ),
    examples=[
        {"value": "x"},
        {"value": "strasse", "caseSensitive": False},
        {"value": "é", "mode": "notContains"},
        {"value": "é", "caseSensitive": False, "mode": "notContains"},
        {"referencePath": "answer"},
        {"referencePath": "expected.answer", "mode": "notContains"},
        {"referencePath": "$.answers[1].text", "caseSensitive": False},
    ],
    columns={"reference": _REFERENCES},
)
