"""Parameters of score-range, and metadata that its paths lead into."""

from typing import Any

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy

_PATHS = ["reward", "$.reward", "eval.reward", "scores[0]", "scores[1].value", '"a.b"', 'eval["a.b"]', "[0]"]
_LIMITS = [None, 0, 0.5, 1, -1, 1.0, 0.1, 2**53, 2**53 + 1, 1e300]

_FINITE = ["0", "0.5", "1", "1.0", "-1", "-0.0", "1e0", "0.1", "0.10000000000000001", "9007199254740993"]
_OTHERS = ["1e300", "1e400", "null", "true", "[]", "{}", "NaN", "01", '"1"', "1" * 400]
# One text that is no JSON spoils the whole object, so they are few.
_NUMBERS = st.one_of(*[st.sampled_from(_FINITE)] * 4, st.sampled_from(_OTHERS))
_OBJECTS = st.builds(
    '{{"reward":{0},"eval":{{"reward":{1},"a.b":{2}}},"scores":[{2},{{"value":{1}}}],"a.b":{3}}}'.format,
    *[_NUMBERS] * 4,
)
_METADATA = st.one_of(
    st.sampled_from(
        [None, "", "null", "{", "1", "[0.5]", '"reward"', '{"reward":Infinity}', '{"reward":0,"reward":1}']
    ),
    _OBJECTS,
    _OBJECTS,
    _OBJECTS,
)


def _config(path: str, limits: tuple[float | None, float | None]) -> dict[str, Any]:
    low, high = limits
    if low is not None and high is not None and low > high:
        low, high = high, low
    return {"path": path} | ({} if low is None else {"min": low}) | ({} if high is None else {"max": high})


STRATEGY = CheckStrategy(
    check_type="score-range",
    configs=st.builds(
        _config,
        st.sampled_from(_PATHS),
        st.tuples(st.sampled_from(_LIMITS), st.sampled_from(_LIMITS)).filter(
            lambda limits: limits != (None, None)
        ),
    ),
    examples=[
        {"path": "reward", "min": 0.5, "max": 1},
        {"path": "eval.reward", "max": 0.1},
        {"path": "$.scores[1].value", "min": 2**53 + 1},
        {"path": "[0]", "min": 0},
    ],
    columns={"metadata": _METADATA},
    allows_turn=False,
)
