"""output-contains: the final output contains a text, whatever its case.

Passes when the text is a substring of the final output, case-folded unless case_sensitive is set.
Fails otherwise, also without an output. With negate, passes where it is not.
Abstains with NO_EVIDENCE where it would pass on a missing or empty output, and with MISSING_DATA
when the record has neither output nor events.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from graders.families.search import LiteralParameters, OutputSearch


class OutputContains(OutputSearch, LiteralParameters):
    """Pass when the final output contains a text, whatever its case."""

    type_name: ClassVar[str] = "output-contains"

    negate: bool = Field(False, description="Pass on the absence instead, as the -not- type does.")
