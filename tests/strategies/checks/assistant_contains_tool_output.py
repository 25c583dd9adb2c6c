"""Parameters of assistant-contains-tool-output."""

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy

_PATTERNS = [
    r"id=(\w*)",
    r"id=(?P<n>\d+)",
    r"\d+",
    r"(x)|(ok)",
    r"(?:id=)(\d)?",
    "x*",
    ".",
    "(.+)",
    r"(?s)(.+)",
    r"(?i)straße|(done)",
    r"^(.*)$",
    r"\x00",
    r"(?<=id=)\w+",
    r"(\w)\1",
    r"(?!id)(\w+)$",
    "rt_[",
    "(",
]

_RESULTS = st.fixed_dictionaries(
    {
        "type": st.just("tool_result"),
        "tool_name": st.sampled_from(["a", "a", "b", "a.b", "ab", None]),
        "content": st.sampled_from(
            ["id=7", "id=7", "id=77 ok", "x", "done", "id=ab", "id=", "", "7\n", None]
        ),
    }
)
_SAID = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["assistant_message", "assistant_message", "user_message", "reasoning"]),
        "content": st.sampled_from(["7", "x7", "77 ok", "id=ab", "done", "DONE", "", None]),
    }
)
_ECHOES = st.lists(st.one_of(_RESULTS, _SAID), min_size=1, max_size=7)

STRATEGY = CheckStrategy(
    check_type="assistant-contains-tool-output",
    configs=st.fixed_dictionaries(
        {
            "tools": st.lists(
                st.sampled_from(["a", "b", "a.b", "ä", "b.c", "never"]), min_size=1, max_size=3
            ),
            "pattern": st.sampled_from(_PATTERNS),
        }
    ),
    examples=[{"tools": ["a", "b"], "pattern": pattern} for pattern in _PATTERNS],
    columns={"events": _ECHOES},
)
