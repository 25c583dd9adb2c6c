"""Spec entries: the wrapper keys around a config of any type, and many of them for one list of records."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tests.strategies.catalog import CheckStrategy

IS_THOROUGH = settings().max_examples >= 1000
"""Whether the tests run under the slow profile; this module is imported after the profile is chosen."""

AT_ONCE = 8
"""How many entries one list of records is held to: drawing records takes the longest."""

LISTS = settings().max_examples // AT_ONCE if IS_THOROUGH else 4
"""How many lists of records a test draws for each type, of which there are many."""

_COMBINATIONS = ("all-of", "any-of")

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


@st.composite
def _parts(draw: st.DrawFn, strategy: CheckStrategy) -> dict[str, Any]:
    """An entry in which checks of the type are the parts of a combination."""
    entry = draw(entries(strategy))
    parts = [{"type": strategy.check_type, "config": entry["config"]}]
    if draw(st.booleans()):
        config = draw(strategy.configs)
        if "turn" not in entry or strategy.may_see_a_turn(config):
            parts.append({"type": strategy.check_type, "config": config})
    for part in parts:
        if draw(st.booleans()):
            part["negate"] = True
    return {**entry, "type": draw(st.sampled_from(_COMBINATIONS)), "config": {"checks": parts}}


def entry_lists(strategy: CheckStrategy) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Entries of a type in every form: scoped to a turn, negated, as parts of a combination."""
    every = st.one_of(entries(strategy), entries(strategy), _parts(strategy))
    return st.lists(every, min_size=AT_ONCE, max_size=AT_ONCE)
