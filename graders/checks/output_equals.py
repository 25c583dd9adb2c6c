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
from pydantic import Field, model_validator

from graders.arrays import Codes, to_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, Reference, Subject, Taxonomy
from graders.outcome import AbstainCode
from graders.references import ReferencePath, non_empty_text, resolve_references
from graders.trajectory import FINAL_OUTPUT
from graders.values import parse_path, quote
from graders.verdicts import Evidence, Verdicts


class OutputEquals(Check):
    """Pass when the whole final output equals a text."""

    type_name: ClassVar[str] = "output-equals"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(reference=Reference.BASED)
    subject: ClassVar[Subject] = Subject.OUTPUT

    value: str | None = Field(None, min_length=1, description="The text.")
    reference_path: ReferencePath | None = Field(None, alias="referencePath")
    case_sensitive: bool = Field(
        True, alias="caseSensitive", description="Whether case counts; if not, both sides are case-folded."
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> OutputEquals:
        if (self.value is None) == (self.reference_path is None):
            raise ValueError("exactly one of value and referencePath is needed")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT} | ({"reference"} if self.reference_path else set()))

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        if self.value is not None:
            wanted, codes = [self.value], np.zeros(len(batch), np.int32)
        else:
            wanted, codes = resolve_references(batch, parse_path(self.reference_path or ""), non_empty_text)
        verdicts = self._compare(batch, wanted, codes)
        unresolved = f"the reference has no text at {quote(self.reference_path or '')}"
        return verdicts.abstain(codes < 0, AbstainCode.SETUP_INVALID, unresolved)

    def _compare(self, batch: TrajectoryBatch, wanted: list[str], codes: Codes) -> Verdicts:
        passed = np.zeros(len(batch), np.bool_)
        sentences: list[str] = []
        for row, (output, code) in enumerate(zip(to_texts(batch.output.array), codes.tolist(), strict=True)):
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
