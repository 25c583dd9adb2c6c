"""How far several judges agree, beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def fleiss(passes: Sequence[int], raters: int) -> tuple[float | None, float | None]:
    """The share of agreeing pairs of raters, and Fleiss' kappa (1971), Psychological Bulletin 76, 378-382.

    With n raters of whom a_i pass item i of N: the mean over the items of
    (a_i^2 + (n - a_i)^2 - n) / (n (n - 1)) is what is observed, p^2 + (1 - p)^2 with
    p = sum a_i / (N n) what chance gives.

    Args:
        passes: per item how many raters pass it; every rater has decided on it.
        raters: how many there are, at least two.

    Returns:
        Both, rounded once; None without items, and kappa also where chance alone agrees on all of them.
    """
    items = len(passes)
    if not items:
        return None, None
    agreeing = sum(count**2 + (raters - count) ** 2 - raters for count in passes)
    observed = Fraction(agreeing, items * raters * (raters - 1))
    share = Fraction(sum(passes), items * raters)
    by_chance = share**2 + (1 - share) ** 2
    if by_chance == 1:
        return float(observed), None
    return float(observed), float((observed - by_chance) / (1 - by_chance))
