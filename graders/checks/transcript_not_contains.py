"""transcript-not-contains: no assistant message contains a text, whatever its case.

Passes when there are assistant messages and none contains the text, case-folded unless
case_sensitive is set.
Fails when one does, or there is none.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.search import LiteralParameters, TranscriptSearch


class TranscriptNotContains(TranscriptSearch, LiteralParameters):
    """Pass when there are assistant messages and none contains a text."""

    type_name: ClassVar[str] = "transcript-not-contains"
    is_absence: ClassVar[bool] = True
