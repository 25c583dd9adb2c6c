"""Findings: their codes, and one of them."""

from __future__ import annotations

import dataclasses

FINDINGS = {
    "backspace": "a pattern with a backspace, written as \\b in double quotes",
    "anchored-alternation": "an alternation without a group, whose anchor holds for one branch only",
    "capture-in-branch": "an alternation without a group, one branch of which captures no value",
    "matches-empty": "a pattern that matches the empty text",
    "slow-pattern": "a pattern that needs the slow engine",
    "duplicate-check": "two checks that are the same",
    "never-gates": "a check that can never fail a trajectory, by its weight and the threshold",
    "negative-only": "checks that nothing but absence satisfies",
    "unknown-tool": "a tool that no sampled trajectory used",
    "always-passes": "a check that passed on all of the sample, which is large enough to tell",
    "always-abstains": "a check that abstained on all of the sample",
    "concerns-none": "a check that concerns no trajectory of the sample",
}
"""The codes of findings, and what each is."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that is probably not meant.

    Attributes:
        place: `file:line: path`.
        code: a key of `FINDINGS`.
        message: what was found, and how to mend it.
    """

    place: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.code}: {self.message}"
