"""Which checks of two runs are one and the same, so that their verdicts can be paired."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Sequence

from pipeline.errors import InvalidError, Problem, nearest
from pipeline.outputs.finished import FinishedRun, RunCheck


@dataclasses.dataclass(frozen=True)
class CheckPair:
    """A check of the base and its counterpart in the run.

    Several entries of a run are one check here when they have one identity and are for different
    samples or tags, as graders of one name in several Vally stimuli are.

    Attributes:
        identity: what both have in common, or how they were named for each other.
        check_type: the type in the run, or in the base where the run has no such check.
        name: the name there, or None.
        base: spec indexes in the base, ascending; empty if it has no such check.
        run: spec indexes in the run, likewise.
        advisory: whether the check never gates: all its entries there are advisory.
    """

    identity: str
    check_type: str
    name: str | None
    base: tuple[int, ...]
    run: tuple[int, ...]
    advisory: bool

    @property
    def label(self) -> str:
        """What to call it in messages and reports."""
        return self.name or self.check_type


def pair_by_identity(base: FinishedRun, run: FinishedRun) -> list[CheckPair]:
    """All checks of both runs: those of the run in its order, then those that only the base has.

    Of entries with one identity and the same selectors, the first of one run is paired with the
    first of the other, and so on.
    """
    of_base, of_run = _by_key(base.checks), _by_key(run.checks)
    keys = [*of_run, *(key for key in of_base if key not in of_run)]
    return [_pair(key[0], of_base.get(key, []), of_run.get(key, [])) for key in keys]


def pair_by_request(base: FinishedRun, run: FinishedRun, requests: Sequence[str]) -> list[CheckPair]:
    """The checks that requests name, as `A=B`: check A of the base with check B of the run.

    Raises:
        InvalidError: a request is not of that form, or names no check or several.
    """
    problems: list[Problem] = []
    pairs: list[CheckPair] = []
    for request in requests:
        ends = [_split(request, at) for at in range(1, len(request)) if request[at] == "="]
        found = [
            (first, second)
            for a, b in ends
            if (first := find_checks(base.checks, a)) and (second := find_checks(run.checks, b))
        ]
        if len(found) == 1:
            pairs.append(_pair(request, *found[0]))
            continue
        problems.append(Problem(f"--pair {request}", "", _refusal(base, run, ends)))
    if problems:
        raise InvalidError(problems)
    return pairs


def find_checks(checks: Iterable[RunCheck], named: str | int) -> list[RunCheck]:
    """The checks of a name, or the one of a spec index, which may be given as text."""
    checks = list(checks)
    found = [check for check in checks if check.name == named]
    return found or [check for check in checks if str(check.spec_index) == str(named)]


def _split(request: str, at: int) -> tuple[str, str]:
    return request[:at], request[at + 1 :]


def _refusal(base: FinishedRun, run: FinishedRun, ends: Sequence[tuple[str, str]]) -> str:
    if len(ends) != 1:
        return "expected A=B: a check of the base and one of the run, by name or spec index"
    for side, checks, named in (("base", base.checks, ends[0][0]), ("run", run.checks, ends[0][1])):
        if not find_checks(checks, named):
            names = [check.name for check in checks if check.name is not None]
            return f"the {side} has no check {named!r}{nearest(named, names)}"
    return "the names can be read in several ways; use spec indexes"


_Key = tuple[str, int]


def _by_key(checks: Sequence[RunCheck]) -> dict[_Key, list[RunCheck]]:
    """The entries of each check, by identity and a count of those that are the same in all."""
    seen = collections.Counter[tuple[str, str]]()
    found: dict[_Key, list[RunCheck]] = {}
    for check in checks:
        same = (check.identity, check.selectors)
        found.setdefault((check.identity, seen[same]), []).append(check)
        seen[same] += 1
    return found


def _pair(identity: str, base: Sequence[RunCheck], run: Sequence[RunCheck]) -> CheckPair:
    shown = run or base
    return CheckPair(
        identity,
        shown[0].check_type,
        shown[0].name,
        tuple(check.spec_index for check in base),
        tuple(check.spec_index for check in run),
        all(check.advisory for check in shown),
    )
