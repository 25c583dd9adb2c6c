"""Tokens and times, as records have them, plausible or not."""

from __future__ import annotations

import datetime

from hypothesis import strategies as st

_TOKENS = st.sampled_from([None, 0, 1, 5, 10, -1, 2**53 + 1, 2**63 - 1])
_TIMES_MS = st.sampled_from([None, 0, 1, 1500, 1501, 90_000, -1, 2**63 - 1])

METRICS = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {
            "total_tokens": st.sampled_from([5, 10, 11]),
            "wall_time_ms": st.sampled_from([0, 1500, 1501, 90_000]),
        }
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "total_tokens": _TOKENS,
            "input_tokens": _TOKENS,
            "output_tokens": _TOKENS,
            "cache_read_tokens": _TOKENS,
            "wall_time_ms": _TIMES_MS,
            "cost_usd": st.sampled_from([None, 0.0, -1.0]),
        },
    ),
    st.fixed_dictionaries({"input_tokens": _TOKENS, "output_tokens": _TOKENS}),
)

_COUNTS = st.sampled_from(
    ["0", "1", "5", "5", "-1", "null", '"5"', "true", "0.5", "[]", "9007199254740993", "1" * 30]
)
USAGE_DATA = st.one_of(
    st.sampled_from([None, "", "null", "{}", "[5,5]", "5", "{", '{"inputTokens":5}', '{"total_tokens":5}']),
    st.builds('{{"inputTokens":{},"outputTokens":{}}}'.format, _COUNTS, _COUNTS),
    st.builds('{{"input_tokens":{},"output_tokens":{},"model":"x"}}'.format, _COUNTS, _COUNTS),
    st.builds(
        '{{"inputTokens":1,"inputTokens":{},"outputTokens":{},"input_tokens":7}}'.format, _COUNTS, _COUNTS
    ),
)
"""What a token_usage event carries."""

_START = datetime.datetime(2026, 3, 1, 23, 59, 59, tzinfo=datetime.UTC)
STAMPS = st.sampled_from([0, 1, 999, 1000, 1_500_000, 1_500_001, 90_000_000, -1, 3_600_000_000]).map(
    lambda microseconds: _START + datetime.timedelta(microseconds=microseconds)
)
