"""Matching expected calls to actual calls: each call serves once.

Whether an actual call would do for an expected one is an edge between the two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def maximum_matching(edges: Sequence[Sequence[int]]) -> int:
    """How many expected calls can be served at once, each by an actual call of its own.

    Hopcroft and Karp (1973), iterative, so that any number of calls is fine.

    Args:
        edges: for each expected call the actual calls that would do, as ascending positions.
    """
    served_by: list[int] = [-1] * len(edges)
    serves: dict[int, int] = {}
    matched = 0
    while True:
        levels = _levels(edges, served_by, serves)
        if levels is None:
            return matched
        for expected in range(len(edges)):
            if served_by[expected] < 0 and _augment(expected, edges, levels, served_by, serves):
                matched += 1


def _levels(
    edges: Sequence[Sequence[int]], served_by: Sequence[int], serves: dict[int, int]
) -> list[int] | None:
    """Distances of expected calls from the unserved ones; None where no more can be served."""
    levels = [0 if actual < 0 else -1 for actual in served_by]
    frontier = [expected for expected, level in enumerate(levels) if level == 0]
    can_grow = False
    while frontier and not can_grow:
        reached: list[int] = []
        for expected in frontier:
            for actual in edges[expected]:
                other = serves.get(actual)
                if other is None:
                    can_grow = True
                elif levels[other] < 0:
                    levels[other] = levels[expected] + 1
                    reached.append(other)
        frontier = reached
    return levels if can_grow else None


def _augment(
    root: int,
    edges: Sequence[Sequence[int]],
    levels: list[int],
    served_by: list[int],
    serves: dict[int, int],
) -> bool:
    """Serve one more expected call along a shortest path, if there is one."""
    path: list[tuple[int, int]] = []
    stack = [(root, iter(edges[root]))]
    while stack:
        expected, options = stack[-1]
        for actual in options:
            other = serves.get(actual)
            if other is None:
                path.append((expected, actual))
                for one, call in path:
                    served_by[one] = call
                    serves[call] = one
                return True
            if levels[other] == levels[expected] + 1:
                path.append((expected, actual))
                stack.append((other, iter(edges[other])))
                break
        else:
            levels[expected] = -2  # Leads nowhere in this phase.
            stack.pop()
            if path:
                path.pop()
    return False


def common_subsequences(edges: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """How many expected calls can be served in their order, each by a later call than the one before.

    The longest common subsequence, of many trajectories at once.

    Args:
        edges: bool[k, e, l]: whether in trajectory k the actual call l would do for the expected call e.

    Returns:
        int32[k]; e of them served is the exact test for an ordered subsequence, gaps allowed.
    """
    n, _, n_actual = edges.shape
    best = np.zeros((n, n_actual + 1), np.int32)  # Among the first l actual calls.
    for expected in range(edges.shape[1]):
        served = np.where(edges[:, expected], best[:, :-1] + 1, 0)
        np.maximum(best[:, 1:], served, out=best[:, 1:])
        np.maximum.accumulate(best, axis=1, out=best)
    return best[:, -1]
