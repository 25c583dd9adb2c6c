"""Outcomes and the codes of abstentions: the vocabulary of every verdict."""

from __future__ import annotations

import enum


class Outcome(enum.IntEnum):
    """What a check says of one trajectory; the values are those of verdict arrays."""

    PASS = 0
    FAIL = 1
    ABSTAIN = 2

    @property
    def label(self) -> str:
        """The text of the verdict table: `pass`, `fail` or `abstain`."""
        return self.name.lower()


class AbstainClass(enum.StrEnum):
    """Why nothing could be decided, in four words."""

    SETUP = "setup"
    MISSING_DATA = "missing_data"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


class AbstainCode(enum.IntEnum):
    """The reason of an abstention; the values are those of verdict arrays, where 0 means no code."""

    SETUP_INVALID = 1
    MISSING_DATA = 2
    NO_EVIDENCE = 3
    NOT_APPLICABLE = 4
    RUN_ERROR = 5
    TIMEOUT = 6
    JUDGE_UNPARSABLE = 7
    JUDGE_REFUSED = 8
    JUDGE_UNAVAILABLE = 9
    JUDGE_BUDGET = 10
    CHECK_CRASHED = 11

    @property
    def abstain_class(self) -> AbstainClass:
        """The class that reports group the code by."""
        return _CLASSES.get(self, AbstainClass.ERROR)


_CLASSES = {
    AbstainCode.SETUP_INVALID: AbstainClass.SETUP,
    AbstainCode.MISSING_DATA: AbstainClass.MISSING_DATA,
    AbstainCode.NO_EVIDENCE: AbstainClass.MISSING_DATA,
    AbstainCode.NOT_APPLICABLE: AbstainClass.NOT_APPLICABLE,
}
