"""output-equals: the final output is a text, whole.

Passes when the final output equals the text, by code points; case-folded with caseSensitive false.
Fails otherwise, also without an output.
Abstains with SETUP_INVALID when referencePath does not resolve to a non-empty text; with
NO_EVIDENCE where it would pass on a missing or empty output; with MISSING_DATA when the record has
neither output nor events.
"""

from __future__ import annotations

import unicodedata
from typing import ClassVar

import numpy as np

from graders.arrays import Codes
from graders.batch import TrajectoryBatch
from graders.families.expected_text import ExpectedText
from graders.values import quote
from graders.verdicts import Evidence, Verdicts


class OutputEquals(ExpectedText):
    """Pass when the whole final output equals a text."""

    type_name: ClassVar[str] = "output-equals"

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in Check)
        wanted, codes = self.expected(batch)
        return self.without_reference(self._compare(batch, wanted, codes), codes)

    def _compare(self, batch: TrajectoryBatch, wanted: list[str], codes: Codes) -> Verdicts:
        passed = np.zeros(len(batch), np.bool_)
        sentences: list[str] = []
        for row, (output, code) in enumerate(zip(batch.output.to_texts(), codes.tolist(), strict=True)):
            if code < 0 or output is None:
                sentences.append("there is no output")
                continue
            text = wanted[code]
            passed[row] = output == text or (not self.case_sensitive and output.casefold() == text.casefold())
            sentences.append(
                f"the output is {quote(text)}"
                if passed[row]
                else f"the output is {quote(output)}, not {quote(text)}{_near_miss(output, text)}"
            )
        return Verdicts.decide(passed, Evidence.each(sentences))


def _near_miss(output: str, text: str) -> str:
    if output.casefold() == text.casefold():
        return "; it differs only in case"
    if output.strip() == text.strip():
        return "; it differs only in blanks at the ends"
    if unicodedata.normalize("NFC", output) == unicodedata.normalize("NFC", text):
        return "; it would be after NFC normalisation"
    return ""
