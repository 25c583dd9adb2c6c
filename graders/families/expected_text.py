"""A text that the output is compared with: given in the spec, or in the sample's reference data."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from graders.arrays import Codes
from graders.batch import TrajectoryBatch
from graders.check import Check, Reference, Subject, Taxonomy
from graders.outcome import AbstainCode
from graders.references import ReferencePath, non_empty_text, resolve_references
from graders.trajectory import FINAL_OUTPUT
from graders.values import parse_path, quote
from graders.verdicts import Verdicts


class ExpectedText(Check):
    """A check that compares the final output with a text."""

    taxonomy: ClassVar[Taxonomy] = Taxonomy(reference=Reference.BASED)
    subject: ClassVar[Subject] = Subject.OUTPUT

    value: str | None = Field(None, min_length=1, description="The text.")
    reference_path: ReferencePath | None = Field(None, alias="referencePath")
    case_sensitive: bool = Field(
        True, alias="caseSensitive", description="Whether case counts; if not, both sides are case-folded."
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.value is None) == (self.reference_path is None):
            raise ValueError("exactly one of value and referencePath is needed")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT} | ({"reference"} if self.reference_path else set()))

    def expected(self, batch: TrajectoryBatch) -> tuple[list[str], Codes]:
        """The distinct texts, and per trajectory the number of its own, or -1 where there is none."""
        if self.value is not None:
            return [self.value], np.zeros(len(batch), np.int32)
        return resolve_references(batch, parse_path(self.reference_path or ""), non_empty_text)

    def without_reference(self, verdicts: Verdicts, codes: Codes) -> Verdicts:
        """The verdicts, where a trajectory without a text of its own abstains."""
        sentence = f"the reference has no text at {quote(self.reference_path or '')}"
        return verdicts.abstain(codes < 0, AbstainCode.SETUP_INVALID, sentence)
