"""outputMatches: the final output contains a text, or does not.

Passes when the text is a substring of the final output (mode contains), or is not (notContains).
Fails otherwise; without an output, contains fails.
Abstains with SETUP_INVALID when referencePath does not resolve to a non-empty text, in both
modes; with NO_EVIDENCE where it would pass on a missing or empty output; with MISSING_DATA when
the record has neither output nor events.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from graders import needles
from graders.arrays import Codes, Mask, encode
from graders.batch import TrajectoryBatch
from graders.check import Check, Reference, Subject, Taxonomy
from graders.families.search import search_evidence
from graders.outcome import AbstainCode
from graders.references import ReferencePath, non_empty_text, resolve_references
from graders.trajectory import FINAL_OUTPUT
from graders.values import parse_path, quote
from graders.verdicts import Evidence, Verdicts


class OutputMatches(Check):
    """Pass when the final output contains a text, or does not."""

    type_name: ClassVar[str] = "outputMatches"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(reference=Reference.BASED)
    subject: ClassVar[Subject] = Subject.OUTPUT

    value: str | None = Field(None, min_length=1, description="The text to look for.")
    reference_path: ReferencePath | None = Field(None, alias="referencePath")
    mode: Literal["contains", "notContains"] = Field("contains", description="Presence or absence.")
    case_sensitive: bool = Field(
        True, alias="caseSensitive", description="Whether case counts; if not, both sides are case-folded."
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> OutputMatches:
        if (self.value is None) == (self.reference_path is None):
            raise ValueError("exactly one of value and referencePath is needed")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT} | ({"reference"} if self.reference_path else set()))

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return self.mode == "notContains"

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        if self.value is not None:
            literal = needles.Literal(self.value, self.case_sensitive)
            found, _ = literal.search(batch.output)
            return self._decide(batch, found, search_evidence("the output", literal, batch.output, found))
        return self._grade_references(batch, self.reference_path or "")

    def _grade_references(self, batch: TrajectoryBatch, path: str) -> Verdicts:
        texts, codes = resolve_references(batch, parse_path(path), non_empty_text)
        output = batch.output if self.case_sensitive else batch.output.folded()
        data = [encode(text if self.case_sensitive else text.casefold()) for text in texts]
        found = output.contains_each([data[code] if code >= 0 else None for code in codes.tolist()])
        verdicts = self._decide(batch, found, _evidence(batch, found, texts, codes))
        return verdicts.abstain(
            codes < 0, AbstainCode.SETUP_INVALID, f"the reference has no text at {quote(path)}"
        )

    def _decide(self, batch: TrajectoryBatch, found: Mask, evidence: Evidence) -> Verdicts:
        evidence = evidence.replace(~batch.has_output(), "there is no output")
        return Verdicts.decide(found if self.mode == "contains" else ~found, evidence)


def _evidence(batch: TrajectoryBatch, found: Mask, texts: list[str], codes: Codes) -> Evidence:
    """What was seen, where each trajectory has a text of its own to be found."""
    sentences: list[str] = []
    for text in texts:
        sentences += [
            f"the output contains {quote(text)}",
            f"the output does not contain {quote(text)}",
            f"the output does not contain {quote(text)}; it would after NFC normalisation",
        ]
    after_nfc = batch.output.contains_after_nfc(~found & (codes >= 0), texts, codes)
    kinds = np.where(found, 0, np.where(after_nfc, 2, 1))
    return Evidence((3 * np.maximum(codes, 0) + kinds).astype(np.int32), sentences or [""])
