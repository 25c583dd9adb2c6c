"""transcript-matches: a pattern is found in some single assistant message.

Passes when the pattern is found in one assistant_message; it cannot span two.
Fails otherwise. With negate, passes where it is found in none and there is one; fails without any.
Abstains when the record has no events, and with TIMEOUT when a pattern that RE2 refuses ran into its
limit and no message is known to match.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from graders.families.search import PatternParameters, TranscriptSearch


class TranscriptMatches(TranscriptSearch, PatternParameters):
    """Pass when a pattern is found in some single assistant message."""

    type_name: ClassVar[str] = "transcript-matches"

    negate: bool = Field(False, description="Pass on the absence instead, as the -not- type does.")
