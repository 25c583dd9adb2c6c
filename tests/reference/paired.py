"""Statistics of pairs, slowly: whole numbers and fractions, and fifty digits where a root must be drawn."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

Z_95 = Fraction("1.959963984540054")
DIGITS = decimal.Context(prec=60)


def mcnemar(lost: int, gained: int) -> Fraction | float:
    """The two-sided p-value."""
    discordant = lost + gained
    if discordant == 0:
        return Fraction(1)
    if discordant < 25:
        tail = sum(math.comb(discordant, k) for k in range(min(lost, gained) + 1))
        return min(Fraction(1), Fraction(2 * tail, 2**discordant))
    return math.erfc(math.sqrt(Fraction(max(abs(lost - gained) - 1, 0) ** 2, 2 * discordant)))


def agreement(kept: int, lost: int, gained: int, n: int) -> tuple[Fraction | None, Fraction | None]:
    """The share of equal outcomes, and Cohen's kappa."""
    if n == 0:
        return None, None
    observed = Fraction(n - lost - gained, n)
    base, run = Fraction(kept + lost, n), Fraction(kept + gained, n)
    by_chance = base * run + (1 - base) * (1 - run)
    return observed, None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def newcombe(kept: int, lost: int, gained: int, n: int) -> tuple[Fraction, float, float]:
    """The difference of the pass rates and its interval, for n > 0."""
    base, run = Fraction(kept + lost, n), Fraction(kept + gained, n)
    (low1, high1), (low2, high2) = _wilson(base, n), _wilson(run, n)
    phi = _phi(kept, lost, gained, n - kept - lost - gained)
    difference = Fraction(gained - lost, n)
    low = difference - _joined(run - low2, high1 - base, phi)
    high = difference + _joined(base - low1, high2 - run, phi)
    return difference, float(low), float(high)


def _joined(below: Fraction, above: Fraction, phi: Fraction) -> Fraction:
    return _root(below**2 - 2 * phi * below * above + above**2)


def _phi(a: int, b: int, c: int, d: int) -> Fraction:
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return Fraction(0)
    surplus = Fraction(a * d - b * c)
    if surplus > 0:
        surplus = max(surplus - Fraction(a + b + c + d, 2), Fraction(0))
    return surplus / _root(Fraction(margins))


def _wilson(p: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """The roots x of (p - x)^2 = z^2 x (1 - x) / n."""
    square, linear = 1 + Z_95**2 / n, 2 * p + Z_95**2 / n
    spread = _root(linear**2 - 4 * square * p**2)
    return (linear - spread) / (2 * square), (linear + spread) / (2 * square)


def _root(x: Fraction) -> Fraction:
    if x <= 0:
        return Fraction(0)
    top, bottom = decimal.Decimal(x.numerator), decimal.Decimal(x.denominator)
    return Fraction(DIGITS.sqrt(DIGITS.divide(top, bottom)))
