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
from pydantic import Field

from graders import needles
from graders.arrays import Codes, Mask, encode
from graders.batch import TrajectoryBatch
from graders.families.expected_text import ExpectedText
from graders.families.search import search_evidence
from graders.text import Text
from graders.values import quote
from graders.verdicts import Evidence, Verdicts


class OutputMatches(ExpectedText):
    """Pass when the final output contains a text, or does not."""

    type_name: ClassVar[str] = "outputMatches"

    mode: Literal["contains", "notContains"] = Field("contains", description="Presence or absence.")

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return self.mode == "notContains"

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        texts, codes = self.expected(batch)
        if self.value is not None:  # One text for all: searched in the column as a whole.
            literal = needles.Literal(self.value, self.case_sensitive)
            found, _ = literal.search(batch.output)
            evidence = search_evidence("the output", literal, batch.output, found)
        else:
            output = batch.output if self.case_sensitive else batch.output.folded()
            wanted = texts if self.case_sensitive else [text.casefold() for text in texts]
            data = [encode(text) for text in wanted]
            found = output.contains_each([data[code] if code >= 0 else None for code in codes.tolist()])
            evidence = _evidence(output, found, texts, wanted, codes)
        evidence = evidence.replace(~batch.has_output(), "there is no output")
        passed = found if self.mode == "contains" else ~found
        return self.without_reference(Verdicts.decide(passed, evidence), codes)


_OBSERVED = ("contains {}", "does not contain {}", "does not contain {}; it would after NFC normalisation")


def _evidence(output: Text, found: Mask, texts: list[str], wanted: list[str], codes: Codes) -> Evidence:
    """What was seen, where each trajectory has a text of its own to be found."""
    after_nfc = output.contains_after_nfc(~found & (codes >= 0), wanted, codes)
    observed = np.where(found, 0, np.where(after_nfc, 2, 1))
    # Each sentence that occurs is written once; without a text of its own, a trajectory shows none.
    keys, numbers = np.unique(len(_OBSERVED) * (codes + 1) + observed, return_inverse=True)
    shown = ["", *texts]
    sentences = [
        f"the output {_OBSERVED[key % len(_OBSERVED)].format(quote(shown[key // len(_OBSERVED)]))}"
        for key in keys.tolist()
    ]
    return Evidence(numbers.astype(np.int32), sentences)
