"""Checks that look for a literal or a pattern: parameters, and the search of the output and the transcript.

A `-not-` type is its positive with `is_absence` set, and so is `negate: true` in the config.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import AliasChoices, ConfigDict, Field

from graders.arrays import Mask
from graders.batch import TrajectoryBatch
from graders.check import Check, Subject
from graders.needles import Expression, Literal, Needle
from graders.outcome import AbstainCode
from graders.parameters import PatternText
from graders.patterns import compile_pattern
from graders.text import Text
from graders.trajectory import FINAL_OUTPUT
from graders.verdicts import Evidence, Verdicts


class SearchCheck(Check):
    """A check that passes on the presence of a needle, or on its absence."""

    is_absence: ClassVar[bool] = False

    @property
    def wants_absence(self) -> bool:
        """Whether the check passes where the needle is not found."""
        return self.is_absence or bool(getattr(self, "negate", False))

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return self.wants_absence

    @property
    def needle(self) -> Needle:
        """What is looked for."""
        raise NotImplementedError


def _allow_value(schema: dict[str, Any]) -> None:
    """Let the JSON Schema of a literal's parameters take `value` for `substring`."""
    properties = schema["properties"]
    properties["value"] = {**properties["substring"], "title": "Value"}
    schema["required"] = [name for name in schema.get("required", []) if name != "substring"]
    schema["oneOf"] = [{"required": ["substring"]}, {"required": ["value"]}]


class LiteralParameters(SearchCheck):
    """The parameters of a search for a literal."""

    model_config = ConfigDict(json_schema_extra=_allow_value)
    refused_keys: ClassVar[Mapping[str, str]] = {"value": "substring and value mean the same; keep one"}

    substring: str = Field(
        min_length=1,
        validation_alias=AliasChoices("substring", "value"),
        description="The text to look for; `value` is the same.",
    )
    case_sensitive: bool = Field(False, description="Whether case counts; if not, both sides are folded.")

    @property
    def needle(self) -> Needle:  # noqa: D102  (as in SearchCheck)
        return Literal(self.substring, self.case_sensitive)


class PatternParameters(SearchCheck):
    """The parameters of a search for a pattern."""

    pattern: PatternText = Field(description="RE2 pattern, searched anywhere; (?i) ignores case.")

    @property
    def needle(self) -> Needle:  # noqa: D102  (as in SearchCheck)
        return Expression(compile_pattern(self.pattern))


class OutputSearch(SearchCheck):
    """The search of the final output."""

    subject: ClassVar[Subject] = Subject.OUTPUT

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        found, is_timeout = self.needle.search(batch.output)
        evidence = search_evidence("the output", self.needle, batch.output, found)
        evidence = evidence.replace(~batch.has_output() & ~found, "there is no output")
        verdicts = Verdicts.decide(found ^ self.wants_absence, evidence)
        return verdicts.abstain(is_timeout, AbstainCode.TIMEOUT, timeout_sentence(self.needle))


class TranscriptSearch(SearchCheck):
    """The search of each assistant_message by itself."""

    subject: ClassVar[Subject] = Subject.MESSAGES

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.content"})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        messages = batch.messages()
        texts = messages.text()
        in_message, is_timeout = self.needle.search(texts)
        hits = messages.where(in_message)
        found, spoken = hits.any(), batch.has_messages()
        # Absence needs messages to be absent from: without any, it fails as in Vally.
        passed = ~found & spoken if self.wants_absence else found
        evidence = Evidence.either(
            found, f"an assistant message {self.needle.shown}", f"no assistant message {self.needle.shown}"
        ).replace(~spoken, "there is no assistant message")
        missed = ~found[messages.row]
        for is_near, how in self.needle.near_misses(texts, missed):
            near = messages.where(is_near).any() & ~found
            evidence = evidence.replace(near, f"no assistant message {self.needle.shown}; in one {how}")
        verdicts = Verdicts.decide(passed, evidence, hits.first_index())
        undecided = messages.where(is_timeout).any() & ~found
        return verdicts.abstain(undecided, AbstainCode.TIMEOUT, timeout_sentence(self.needle))


def search_evidence(subject: str, needle: Needle, texts: Text, found: Mask) -> Evidence:
    """What a search of one text per trajectory observed, with near misses."""
    evidence = Evidence.either(found, f"{subject} {needle.shown}", f"{subject} {needle.shown_absent}")
    for is_near, how in needle.near_misses(texts, ~found):
        evidence = evidence.replace(is_near, f"{subject} {needle.shown_absent}; {how}")
    return evidence


def timeout_sentence(needle: Needle) -> str:
    """What an abstention says of a search that ran into its limit."""
    return f"the search whether a text {needle.shown} took over 1 s"
