"""Spec entries: the wrapper keys around a config of any type."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy

WRAPPERS = st.fixed_dictionaries(
    {},
    optional={
        "turn": st.sampled_from([-1, 0, 1, 2, 9]),
        "negate": st.booleans(),
        "samples": st.lists(
            st.sampled_from(["s1", "s?", "[s]", "S*", "[!s]*", "t*", "*"]), min_size=1, max_size=2
        ),
        "tags": st.dictionaries(st.sampled_from(["k", "l"]), st.sampled_from(["v", "w"]), min_size=1),
    },
)


@st.composite
def entries(draw: st.DrawFn, strategy: CheckStrategy) -> dict[str, Any]:
    """One native spec entry of a type."""
    wrapper, config = draw(WRAPPERS), draw(strategy.configs)
    if not strategy.may_see_a_turn(config):
        wrapper.pop("turn", None)
    return {**wrapper, "type": strategy.check_type, "config": config}
