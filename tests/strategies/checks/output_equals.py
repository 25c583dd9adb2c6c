"""Parameters of output-equals; its references are those of outputMatches."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy
from tests.strategies.checks.output_matches import STRATEGY as OUTPUT_MATCHES
from tests.strategies.records import CONTENTS
from tests.strategies.searching import LITERALS

_OPTIONS = {"caseSensitive": st.booleans()}
_PATHS = [
    "answer",
    "$.answer",
    "expected.answer",
    "answers[0]",
    "$.answers[1].text",
    '"a.b"',
    'expected["a.b"]',
]

STRATEGY = CheckStrategy(
    check_type="output-equals",
    configs=st.one_of(
        st.fixed_dictionaries({"value": LITERALS}, optional=_OPTIONS),
        st.fixed_dictionaries({"value": st.sampled_from(["x", "ok", "Straße", "é"])}, optional=_OPTIONS),
        st.fixed_dictionaries({"referencePath": st.sampled_from(_PATHS)}, optional=_OPTIONS),
    ),
    examples=[
        {"value": "ok"},
        {"value": "STRASSE", "caseSensitive": False},
        {"value": "\x00x"},
        {"referencePath": "answer"},
        {"referencePath": "$.answers[1].text", "caseSensitive": False},
    ],
    columns={
        **OUTPUT_MATCHES.columns,
        "output": st.one_of(
            CONTENTS,
            st.sampled_from(["x", "ok", "OK", " ok", "ok\n", "Straße", "STRASSE", "id=7", "e\u0301"]),
        ),
    },
)
