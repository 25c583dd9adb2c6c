"""Matching of expected calls to actual ones, against every assignment there is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.matching import common_subsequences, maximum_matching

N_ACTUAL = 5
EDGES = st.lists(st.sets(st.integers(0, N_ACTUAL - 1)).map(sorted), max_size=5)


def _assignments(edges: list[list[int]]) -> list[list[int | None]]:
    """Every way to give expected calls actual ones, or none."""
    return [list(chosen) for chosen in itertools.product(*([None, *options] for options in edges))]


def _in_order(edges: list[list[int]], n_actual: int = N_ACTUAL) -> int:
    """How many expected calls are served in their order, in the one trajectory that there is."""
    table = np.zeros((1, len(edges), n_actual), np.bool_)
    for expected, options in enumerate(edges):
        table[0, expected, options] = True
    return int(common_subsequences(table)[0])


def _served(chosen: list[int | None]) -> list[int]:
    return [actual for actual in chosen if actual is not None]


@given(edges=EDGES)
def test_matching_is_the_best_assignment(edges: list[list[int]]) -> None:
    served = [_served(chosen) for chosen in _assignments(edges)]
    assert maximum_matching(edges) == max(len(each) for each in served if len(set(each)) == len(each))


@given(edges=EDGES, data=st.data())
def test_matching_knows_no_order(edges: list[list[int]], data: st.DataObject) -> None:
    names = data.draw(st.permutations(range(N_ACTUAL)))
    shuffled = [sorted(names[actual] for actual in options) for options in data.draw(st.permutations(edges))]
    assert maximum_matching(shuffled) == maximum_matching(edges)


@given(edges=EDGES)
def test_matching_is_the_same_from_both_sides(edges: list[list[int]]) -> None:
    reverse = [[at for at, options in enumerate(edges) if actual in options] for actual in range(N_ACTUAL)]
    assert maximum_matching(reverse) == maximum_matching(edges)


@given(edges=EDGES, more=st.sets(st.integers(0, N_ACTUAL - 1)).map(sorted))
def test_one_more_expected_call_adds_at_most_one(edges: list[list[int]], more: list[int]) -> None:
    assert maximum_matching([*edges, more]) - maximum_matching(edges) in ((0, 1) if more else (0,))


@given(edges=EDGES)
def test_all_are_served_in_order_by_a_rising_assignment(edges: list[list[int]]) -> None:
    full = itertools.product(*edges)
    rises = any(list(chosen) == sorted(set(chosen)) for chosen in full)
    assert (_in_order(edges) == len(edges)) == rises


@given(edges=EDGES)
def test_common_subsequence_is_the_longest_rising_assignment(edges: list[list[int]]) -> None:
    served = [_served(chosen) for chosen in _assignments(edges)]
    longest = max(len(each) for each in served if each == sorted(set(each)))
    assert _in_order(edges) == longest


@given(edges=EDGES)
def test_each_sense_of_matching_is_within_the_wider_one(edges: list[list[int]]) -> None:
    assert 0 <= _in_order(edges) <= maximum_matching(edges) <= min(len(edges), N_ACTUAL)


@given(data=st.data())
def test_trajectories_are_matched_apart(data: st.DataObject) -> None:
    tables = data.draw(st.lists(st.lists(st.booleans(), min_size=12, max_size=12), min_size=1, max_size=4))
    edges = np.array(tables, np.bool_).reshape(-1, 3, 4)
    assert common_subsequences(edges).tolist() == [int(common_subsequences(each[None])[0]) for each in edges]


def test_nothing_expected_is_always_there() -> None:
    assert maximum_matching([]) == 0
    assert _in_order([], 3) == _in_order([[]], 0) == 0


@pytest.mark.parametrize("n", [2000, 2001])
def test_many_calls_need_no_deep_stack(n: int) -> None:
    # Each call but the last could take the place of the one before: a single path through all of them.
    chain = [[at, at + 1] for at in range(n - 1)] + [[0]]
    assert maximum_matching(chain) == n
