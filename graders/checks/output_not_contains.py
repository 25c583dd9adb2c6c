"""output-not-contains: the final output does not contain a text, whatever its case.

Passes when the text is no substring of the final output, case-folded unless case_sensitive is set.
Fails when it is.
Abstains with NO_EVIDENCE on a missing or empty output, and with MISSING_DATA when the record has
neither output nor events.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.search import LiteralParameters, OutputSearch


class OutputNotContains(OutputSearch, LiteralParameters):
    """Pass when the final output does not contain a text, whatever its case."""

    type_name: ClassVar[str] = "output-not-contains"
    is_absence: ClassVar[bool] = True
