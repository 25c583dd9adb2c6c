"""Parameters of the checks on names of events: what is required, and what is not allowed."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_NAMES = ["a", "b", "a.b", "A", "ä", "a\x00", "never"]

EXAMPLES: list[dict[str, Any]] = [
    {"required": ["a"]},
    {"required": ["b", "a"]},
    {"disallowed": ["a"]},
    {"disallowed": ["never", "b", "a"]},
    {"required": ["a"], "disallowed": ["b"]},
]


def configs() -> st.SearchStrategy[dict[str, Any]]:
    """Both lists or one of them; no name stands in both."""

    def split(names: list[str], cut: int) -> dict[str, Any]:
        required, disallowed = names[:cut], names[cut:]
        return ({"required": required} if required else {}) | (
            {"disallowed": disallowed} if disallowed else {}
        )

    lists = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3, unique=True)
    return st.builds(split, lists, st.integers(0, 3))
