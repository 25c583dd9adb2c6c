"""output-matches: a pattern is found in the final output.

Passes when the pattern is found anywhere in the final output.
Fails otherwise, also without an output. With negate, passes where it is not found.
Abstains with NO_EVIDENCE where it would pass on a missing or empty output, with MISSING_DATA when
the record has neither output nor events, and with TIMEOUT when a pattern that RE2 refuses ran into
its limit.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from graders.families.search import OutputSearch, PatternParameters


class OutputMatchesPattern(OutputSearch, PatternParameters):
    """Pass when a pattern is found in the final output."""

    type_name: ClassVar[str] = "output-matches"

    negate: bool = Field(False, description="Pass on the absence instead, as the -not- type does.")
