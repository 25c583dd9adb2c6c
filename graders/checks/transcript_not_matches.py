"""transcript-not-matches: a pattern is found in no assistant message.

Passes when there are assistant messages and the pattern is found in none.
Fails when it is found in one, or there is none.
Abstains when the record has no events, and with TIMEOUT when a pattern that RE2 refuses ran into its
limit and no message is known to match.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.search import PatternParameters, TranscriptSearch


class TranscriptNotMatches(TranscriptSearch, PatternParameters):
    """Pass when there are assistant messages and a pattern is found in none."""

    type_name: ClassVar[str] = "transcript-not-matches"
    is_absence: ClassVar[bool] = True
