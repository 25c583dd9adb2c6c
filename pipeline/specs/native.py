"""The native dialect (`version: 1`)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from graders.scope import CheckEntry
from pipeline.gates import BoundGate, Gate, UnboundGateError, bind_gate
from pipeline.specs.entries import EntryLoader
from pipeline.specs.loaded import Dialect
from pipeline.specs.yaml_reader import Document, Path


class Scoring(BaseModel):
    """How a trajectory's score becomes a verdict on it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    threshold: float | None = Field(None, ge=0, le=1, description="The score from which a trajectory passes.")


class Sample(BaseModel):
    """What is known of a sample beforehand."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, description="The sample id of its trajectories, exactly.")
    reference: dict[str, Any] = Field(description="Reference data for records that have none.")


class Spec(BaseModel):
    """The top level of a native spec."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: int = Field(ge=1, le=1, description="The version of the dialect.")
    name: str | None = Field(None, min_length=1, description="What the spec is called in reports.")
    description: str | None = Field(None, description="What it is for.")
    checks: list[Any] | None = Field(None, min_length=1, description="The checks, in order.")
    graders: list[Any] | None = Field(None, min_length=1, description="Another word for checks.")
    samples: list[Sample] | None = Field(
        None,
        min_length=1,
        description="Reference data by sample; samples that are not listed are graded too.",
    )
    scoring: Scoring | None = Field(None, description="How scores become verdicts on trajectories.")
    gates: list[Any] = Field(
        [], min_length=1, description="What a run must meet, by the checks of this spec."
    )


class _Listed(NamedTuple):
    """A check as it is written, good or bad, for the gates that name it."""

    spec_index: int
    check_type: str
    name: str | None
    advisory: bool


def load_native(document: Document, first_index: int = 0, position: int = 0) -> Dialect:
    """The checks of a native spec, indexed from `first_index`; `position` is its own among the specs.

    Raises:
        InvalidError: with every problem of the document.
    """
    loader = EntryLoader(document)
    top: dict[str, Any] = document.value
    spec = loader.validate(Spec, top, ())
    key = "graders" if "graders" in top and "checks" not in top else "checks"
    if "checks" in top and "graders" in top:
        loader.refuse(("graders",), "checks and graders mean the same; keep one")
    elif key not in top:
        loader.refuse((), "the key checks is missing")
    items = top.get(key)
    if key in top and items is None:
        loader.refuse((key,), "expected a list, got null; give at least one check")
    entries: list[CheckEntry | None] = []
    for number, item in enumerate(items if isinstance(items, list) else []):
        loader.claim_name(item, (key, number))
        entries.append(loader.entry(item, (key, number), first_index + number))
    samples = top.get("samples")
    for number, item in enumerate(samples if isinstance(samples, list) else []):
        loader.claim_name(item, ("samples", number), scope="samples")
    gates = _gates(loader, top.get("gates"), items, first_index, position)
    loader.raise_problems()
    threshold = spec.scoring.threshold if spec is not None and spec.scoring is not None else None
    good = tuple(entry for entry in entries if entry is not None)
    known = spec.samples if spec is not None else None
    return Dialect(
        "native",
        good,
        threshold,
        references={sample.name: reference_text(sample.reference) for sample in known or ()},
        description=spec.description if spec is not None else None,
        places=tuple(loader.places.values()),
        gates=gates,
    )


def _gates(
    loader: EntryLoader, gates: Any, checks: Any, first_index: int, spec: int
) -> tuple[BoundGate, ...]:
    """The gates, each with its checks; these may be bad otherwise."""
    listed = [
        _Listed(first_index + number, str(item.get("type")), item.get("name"), item.get("advisory") is True)
        for number, item in enumerate(checks if isinstance(checks, list) else [])
        if isinstance(item, dict)
    ]
    bound: list[BoundGate] = []
    for number, item in enumerate(gates if isinstance(gates, list) else []):
        path: Path = ("gates", number)
        gate = loader.validate(Gate, item, path)
        if gate is not None:
            try:
                where = loader.document.problem(path, "").where
                bound.append(bind_gate(gate, where, listed, first_index, spec))
            except UnboundGateError as error:
                loader.refuse((*path, error.key), str(error))
    return tuple(bound)


def reference_text(reference: dict[str, Any]) -> str:
    """Reference data as a record holds it, JSON text."""
    return json.dumps(reference, ensure_ascii=False)
