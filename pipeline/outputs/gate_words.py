"""What the limits of gates found, in words: what was counted, out of how many, and what is wanted."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.outputs.gate_tables import GateCounts, GatePairs
from pipeline.plurals import counted


def found_and_wanted(condition: str, counts: GateCounts, noun: str, limit: float, *, is_least: bool) -> str:
    """What a limit on counts found, and what it wants.

    Args:
        condition: which limit, such as `min_pass_rate`.
        counts: what was counted.
        noun: of what, `verdict` or `trajectory`.
        limit: its value.
        is_least: whether that is the least that is wanted.
    """
    shown = _share(limit) if condition.endswith("_rate") else f"{limit:,}"
    return f"{_FOUND[condition](counts, noun)}; {_bound(is_least=is_least)} {shown} wanted"


def at_k_and_wanted(measure: str, k: int, value: float, limit: float) -> str:
    """What a limit on pass@k or pass^k found, and what it wants."""
    return f"{measure}{k} is {_share(value)} over all samples; {_bound(is_least=True)} {_share(limit)} wanted"


def drop_and_wanted(pairs: GatePairs, noun: str, drop: str, wanted: str) -> str:
    """What a limit on a drop found, and what it wants; both the drop and what is wanted in words."""
    base, now = pairs.kept + pairs.lost, pairs.kept + pairs.gained
    decided = counted(pairs.decided, noun)
    passed = f"of {decided} decided in both runs {base:,} passed in the baseline, {now:,} now"
    return f"{passed}: {drop}; {wanted}{unpaired_words(pairs, noun)}"


def unpaired_words(pairs: GatePairs, noun: str) -> str:
    """What a limit on a drop did not see, as several trajectories of a run have one key; empty if nothing."""
    if not pairs.ambiguous:
        return ""
    return f"; {counted(pairs.ambiguous, noun)} not looked at: their sample and trial occur more than once"


def drop_in_points(value: float) -> str:
    """An absolute drop."""
    return f"{'a rise' if value < 0 else 'a drop'} of {_number(100 * abs(value))} points"


def drop_in_shares(value: float) -> str:
    """A relative drop."""
    return f"{'a rise' if value < 0 else 'a drop'} by {_share(abs(value))}"


def _share(rate: float) -> str:
    return f"{_number(100 * rate)} %"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _bound(*, is_least: bool) -> str:
    return "at least" if is_least else "at most"


def _passed(counts: GateCounts, noun: str) -> str:
    decided = counts.passed + counts.failed
    rate = _share(counts.passed / decided)
    return f"{counts.passed:,} of {counted(decided, f'decided {noun}')} passed ({rate})"


def _undecided(counts: GateCounts, noun: str) -> str:
    verb = "abstained" if noun == "verdict" else "stayed undecided"
    rate = _share(counts.abstained / counts.total)
    return f"{counts.abstained:,} of {counted(counts.total, noun)} {verb} ({rate})"


_FOUND: dict[str, Callable[[GateCounts, str], str]] = {
    "min_total": lambda counts, noun: counted(counts.total, noun),
    "min_pass_rate": _passed,
    "max_fail": lambda counts, noun: f"{counted(counts.failed, noun)} failed",
    "max_abstain_rate": _undecided,
    "max_error_abstains": lambda counts, noun: f"{counted(counts.errors, noun)} abstained for an error",
}
