"""outputMatches: the final output contains a text, or does not.

Passes when the text is a substring of the final output (mode contains), or is not (notContains).
Fails otherwise; without an output, contains fails.
Abstains with SETUP_INVALID when referencePath does not resolve to a non-empty text, in both
modes; with NO_EVIDENCE where it would pass on a missing or empty output; with MISSING_DATA when
the record has neither output nor events.
"""

from __future__ import annotations

import functools
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from graders.arrays import Codes, Mask, encode, to_codes
from graders.batch import TrajectoryBatch
from graders.check import Check, Reference, Subject, Taxonomy
from graders.outcome import AbstainCode
from graders.trajectory import FINAL_OUTPUT
from graders.values import Path, parse_json, parse_path, quote, resolve
from graders.verdicts import Evidence, Verdicts


class OutputMatches(Check):
    """Pass when the final output contains a text, or does not."""

    type_name: ClassVar[str] = "outputMatches"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(reference=Reference.BASED)
    subject: ClassVar[Subject] = Subject.OUTPUT

    value: str | None = Field(None, min_length=1, description="The text to look for.")
    reference_path: str | None = Field(
        None,
        alias="referencePath",
        description="Where the text stands in the sample's reference data: a.b[0], $.a, a[\"b.c\"].",
    )
    mode: Literal["contains", "notContains"] = Field("contains", description="Presence or absence.")
    case_sensitive: bool = Field(
        True, alias="caseSensitive", description="Whether case counts; if not, both sides are case-folded."
    )

    @field_validator("reference_path")
    @classmethod
    def _is_path(cls, path: str | None) -> str | None:
        if path is not None:
            parse_path(path)
        return path

    @model_validator(mode="after")
    def _has_one_source(self) -> OutputMatches:
        if (self.value is None) == (self.reference_path is None):
            raise ValueError("exactly one of value and referencePath is needed")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT} | ({"reference"} if self.reference_path else set()))

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        if self.reference_path is None:
            assert self.value is not None  # noqa: S101  (the validator saw to it)
            needles, codes = [self.value], np.zeros(len(batch), np.int32)
            found = self._contains(batch, self.value)
        else:
            needles, codes = _references(batch, parse_path(self.reference_path))
            found = self._contains_each(batch, needles, codes)
        is_unresolved = codes < 0
        evidence = self._evidence(batch, found, [needle or "" for needle in needles], codes)
        passed = found if self.mode == "contains" else ~found
        unresolved = f"reference has no text at {quote(self.reference_path or '')}"
        return Verdicts.decide(passed, evidence).abstain(
            is_unresolved, AbstainCode.SETUP_INVALID, unresolved
        )

    def _contains(self, batch: TrajectoryBatch, needle: str) -> Mask:
        return batch.output.contains(needle) if self.case_sensitive else batch.output.contains_folded(needle)

    def _contains_each(
        self, batch: TrajectoryBatch, needles: list[str], codes: Codes
    ) -> Mask:
        output = batch.output if self.case_sensitive else batch.output.folded()
        data = [encode(text if self.case_sensitive else text.casefold()) for text in needles]
        return output.contains_each([data[code] if code >= 0 else None for code in codes.tolist()])

    def _evidence(
        self, batch: TrajectoryBatch, found: Mask, needles: list[str], codes: Codes
    ) -> Evidence:
        """What was seen: the text, no such text, one that is alike after NFC, or no output."""
        sentences: list[str] = []
        for needle in needles:
            shown = quote(needle)
            sentences += [
                f"the output contains {shown}",
                f"the output does not contain {shown}",
                f"the output does not contain {shown}, but would after NFC normalisation",
            ]
        needle_codes = np.maximum(codes, 0)
        after_nfc = batch.output.contains_after_nfc(~found & (codes >= 0), needles, codes)
        kinds = np.where(found, 0, np.where(after_nfc, 2, 1))
        seen = Evidence((3 * needle_codes + kinds).astype(np.int32), sentences or [""])
        return seen.replace(~batch.has_output(), "there is no output")


def _references(batch: TrajectoryBatch, path: Path) -> tuple[list[str], Codes]:
    """The distinct texts at `path` of the references, and per trajectory the number of its own, or -1."""

    def find() -> tuple[list[str], Codes]:
        texts, codes = to_codes(batch.column("reference"))
        needles: list[str] = []
        table = np.full(len(texts) + 1, -1, np.int32)
        for number, text in enumerate(texts):
            needle = _text_at(text or "", path)
            if needle is not None:
                table[number] = len(needles)
                needles.append(needle)
        return needles, table[codes]

    return batch.memo(("references", path), find)


@functools.lru_cache(maxsize=8192)  # The trials of a sample share their reference.
def _text_at(reference: str, path: Path) -> str | None:
    data = parse_json(reference)
    value = resolve(data, path) if isinstance(data, dict) else None
    return value if isinstance(value, str) and value else None
