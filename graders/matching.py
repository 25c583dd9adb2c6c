"""Matching expected calls to actual calls: each call serves once.

All functions take `edges`: for each expected call the actual calls that would do, as ascending
positions in the order of the actual calls.
"""

from __future__ import annotations

from collections.abc import Sequence


def maximum_matching(edges: Sequence[Sequence[int]]) -> int:
    """How many expected calls can be served at once, each by an actual call of its own.

    Hopcroft and Karp (1973), iterative, so that any number of calls is fine.
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


def is_subsequence(edges: Sequence[Sequence[int]]) -> bool:
    """Whether the expected calls occur in their order, gaps allowed, each as a call of its own.

    Taking the earliest call that does is exact: it leaves the most for what follows.
    """
    at = -1
    for options in edges:
        following = next((actual for actual in options if actual > at), None)
        if following is None:
            return False
        at = following
    return True


def longest_common_subsequence(edges: Sequence[Sequence[int]], n_actual: int) -> int:
    """How many expected calls can be served in their order, each by a later call than the one before."""
    best = [0] * (n_actual + 1)
    for options in edges:
        row = best.copy()
        for actual in options:
            row[actual + 1] = max(row[actual + 1], best[actual] + 1)
        for at in range(1, n_actual + 1):
            row[at] = max(row[at], row[at - 1])
        best = row
    return best[n_actual]
