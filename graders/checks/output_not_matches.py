"""output-not-matches: a pattern is not found in the final output.

Passes when the pattern is found nowhere in the final output.
Fails when it is.
Abstains with NO_EVIDENCE on a missing or empty output, with MISSING_DATA when the record has
neither output nor events, and with TIMEOUT when a pattern that RE2 refuses ran into its limit.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.search import OutputSearch, PatternParameters


class OutputNotMatches(OutputSearch, PatternParameters):
    """Pass when a pattern is not found in the final output."""

    type_name: ClassVar[str] = "output-not-matches"
    is_absence: ClassVar[bool] = True
