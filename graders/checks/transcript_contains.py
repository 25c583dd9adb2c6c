"""transcript-contains: some single assistant message contains a text, whatever its case.

Passes when one assistant_message contains the text, case-folded unless case_sensitive is set; user,
tool and reasoning text and the output column never count.
Fails otherwise. With negate, passes where none does and there is one; fails without any.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from graders.families.search import LiteralParameters, TranscriptSearch


class TranscriptContains(TranscriptSearch, LiteralParameters):
    """Pass when some single assistant message contains a text, whatever its case."""

    type_name: ClassVar[str] = "transcript-contains"

    negate: bool = Field(False, description="Pass on the absence instead, as the -not- type does.")
