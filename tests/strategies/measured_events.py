"""Events of the checks that measure: tokens, times, failures and errors, seldom met among all events."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.records import CONTENTS, FLAGS, IDS, NAMES
from tests.strategies.usage import STAMPS, USAGE_DATA

_SAID = st.fixed_dictionaries(
    {"type": st.sampled_from(["assistant_message", "user_message", "reasoning"])},
    optional={"content": CONTENTS},
)
_GOOD_USAGE = st.builds(
    '{{"{}":{},"{}":{}}}'.format,
    st.just("input_tokens"),
    st.integers(0, 8),
    st.just("output_tokens"),
    st.integers(0, 8),
)


def _lists(*events: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.one_of(*events), min_size=1, max_size=6)


TOKENS = _lists(
    _SAID,
    st.fixed_dictionaries({"type": st.just("token_usage"), "data": _GOOD_USAGE}),
    st.fixed_dictionaries(
        {"type": st.just("token_usage"), "data": st.one_of(_GOOD_USAGE, _GOOD_USAGE, _GOOD_USAGE, USAGE_DATA)}
    ),
)
"""Events with token_usage among them, mostly known."""

TIMES = _lists(
    st.fixed_dictionaries({"type": st.sampled_from(["assistant_message", "tool_call"]), "timestamp": STAMPS}),
    st.fixed_dictionaries({"type": st.sampled_from(["user_message", "x-odd"]), "timestamp": STAMPS}),
)
"""Events that all have a timestamp."""

FAILURES = _lists(
    st.fixed_dictionaries({"type": st.just("tool_call"), "tool_name": NAMES, "tool_call_id": IDS}),
    *[
        st.fixed_dictionaries(
            {"type": st.just("tool_result"), "is_error": FLAGS},
            optional={"tool_name": NAMES, "tool_call_id": IDS},
        )
    ]
    * 3,
)
"""Calls and more results, of which some say whether they failed."""

ERRORS = _lists(
    _SAID,
    st.fixed_dictionaries({"type": st.sampled_from(["error", "error", "turn_end", "turn_start"])}),
)
"""Messages, errors and turns."""
