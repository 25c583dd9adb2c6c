"""output-json: the final output is JSON that validates.

Passes when the whole output parses as JSON (with allow_fence also inside one Markdown fence) and
meets the JSON Schema, the value to equal, or both.
Fails otherwise, also without an output.
Abstains with SETUP_INVALID when referencePath leads nowhere; with NO_EVIDENCE where it would pass on
a missing or empty output; with TIMEOUT when a pattern that RE2 refuses, or the references of the schema, ran
into their limit; with MISSING_DATA when the record has neither output nor events.

The draft is the one that `$schema` names, 2020-12 where it names none. Patterns of the schema run as all
patterns do, references must lie inside the schema, and formats are not checked. An output nested deeper
than 100 levels does not validate.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from graders.batch import TrajectoryBatch
from graders.check import Check, Determinism, Reference, Subject, Taxonomy
from graders.outcome import AbstainCode
from graders.references import ReferencePath, any_value, resolve_references
from graders.trajectory import FINAL_OUTPUT
from graders.values import (
    INVALID,
    Json,
    Predicate,
    cut,
    depth_of,
    equals,
    json_text,
    parse_json,
    parse_path,
    quote,
)
from graders.verdicts import Evidence, Verdicts

_FENCE = re.compile(r"\s*```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?```\s*", re.DOTALL)
_DEEPEST = 100


class OutputJson(Check):
    """Pass when the whole output is JSON that validates."""

    type_name: ClassVar[str] = "output-json"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.COMPLEX_STATIC, reference=Reference.BASED)
    subject: ClassVar[Subject] = Subject.OUTPUT

    json_schema: dict[str, Any] | None = Field(
        None, alias="schema", description="JSON Schema of the output, 2020-12 unless $schema names a draft."
    )
    equals: Any = Field(None, description="The JSON value that the output must equal.")
    reference_path: ReferencePath | None = Field(None, alias="referencePath")
    allow_fence: bool = Field(False, description="Whether one Markdown fence may enclose the JSON.")

    @field_validator("json_schema")
    @classmethod
    def _check_schema(cls, schema: dict[str, Any] | None) -> dict[str, Any] | None:
        if schema is not None:
            # Imported late: only specs with a schema pay for the library.
            from graders.families.json_schema import Schema  # noqa: PLC0415

            Schema(schema)
        return schema

    @model_validator(mode="after")
    def _has_condition(self) -> OutputJson:
        given = self.model_fields_set & {"json_schema", "equals", "reference_path"}
        if not given:
            raise ValueError("schema, equals or referencePath is needed")
        if {"equals", "reference_path"} <= given:
            raise ValueError("equals and referencePath exclude each other")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT} | ({"reference"} if self.reference_path else set()))

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        n = len(batch)
        wanted: list[tuple[Json]] = [(self.equals,)]
        codes = np.full(n, 0 if "equals" in self.model_fields_set else -1, np.int32)
        unresolved = np.zeros(n, np.bool_)
        if self.reference_path is not None:
            wanted, codes = resolve_references(batch, parse_path(self.reference_path), any_value)
            unresolved = codes < 0
        tests = [equals(value) for (value,) in wanted]
        problem_with_schema = self._problem_with_schema()
        problems: list[str | None] = []
        timed_out = np.zeros(n, np.bool_)
        for row, (output, code) in enumerate(zip(batch.output.to_texts(), codes.tolist(), strict=True)):
            try:
                problems.append(
                    self._problem(output, problem_with_schema, tests[code] if code >= 0 else None)
                )
            except TimeoutError as error:
                problems.append(cut(str(error)))
                timed_out[row] = True
        passed = np.fromiter((problem is None for problem in problems), np.bool_, n)
        evidence = Evidence.each([problem or "the output is JSON as wanted" for problem in problems])
        verdicts = Verdicts.decide(passed, evidence).abstain(timed_out, AbstainCode.TIMEOUT, evidence)
        return verdicts.abstain(
            unresolved,
            AbstainCode.SETUP_INVALID,
            f"the reference has nothing at {quote(self.reference_path or '')}",
        )

    def _problem_with_schema(self) -> Callable[[Json], str | None]:
        """What says what a value has against the schema."""
        if self.json_schema is None:
            return lambda _: None
        return _schema_of(json_text(self.json_schema)).problem

    def _problem(
        self,
        output: str | None,
        problem_with_schema: Callable[[Json], str | None],
        equals_wanted: Predicate | None,
    ) -> str | None:
        """What is wrong with an output, or None.

        Raises:
            TimeoutError: the schema or one of its patterns ran into its limit.
        """
        if output is None:
            return "there is no output"
        if self.allow_fence and (match := _FENCE.fullmatch(output)):
            output = str(match[1])
        value = parse_json(output)
        if value is INVALID:
            return f"the output is not JSON: {quote(output)}"
        if depth_of(value) > _DEEPEST:
            return f"the output is nested deeper than {_DEEPEST} levels"
        if (problem := problem_with_schema(value)) is not None:
            return f"the output does not validate: {cut(problem)}"
        if equals_wanted is not None and not equals_wanted(value):
            return f"the output is other JSON: {cut(json_text(value))}"
        return None


@functools.lru_cache(maxsize=256)
def _schema_of(text: str) -> Any:
    from graders.families.json_schema import Schema  # noqa: PLC0415  (see above)

    return Schema(parse_json(text))
