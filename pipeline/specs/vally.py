"""The Vally dialect (`stimuli`): graders of the file, and of each stimulus for its own trajectories."""

from __future__ import annotations

import dataclasses
import glob
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graders.scope import CheckEntry
from pipeline.specs.entries import EntryLoader
from pipeline.specs.loaded import Dialect
from pipeline.specs.yaml_reader import Document, Path, show_path

_ONLY_FOR_RUNNING = (
    "version", "type", "tags", "environment", "config", "defaults", "executor", "timeout", "constraints",
)  # fmt: skip
_STIMULUS_ONLY_FOR_RUNNING = (
    "description", "prompt", "turns", "environment", "constraints", "tags", "timeout", "config", "defaults",
    "executor", "model", "runs", "skip",
)  # fmt: skip
_GRADER_KEYS = ("type", "name", "turn", "negate", "advisory", "weight", "config")
_JUDGED = ("prompt", "panel")
_PARAMETER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?:=([^}]*))?\}")


class VallyScoring(BaseModel):
    """How graders become a score: weights by type, and the score from which a trajectory passes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    weights: dict[str, float] = Field({}, description="Weight of each grader type.")
    threshold: float | None = Field(None, ge=0, le=1, description="The score from which a trajectory passes.")


class VallyStimulus(BaseModel):
    """A stimulus, without what only concerns running it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, description="The sample id of its trajectories.")
    rubric: list[str] | None = Field(
        None, description="Criteria for judges that have no prompt of their own."
    )
    graders: list[Any] = Field([], description="The graders of its trajectories.")


class VallySpec(BaseModel):
    """The top level of a Vally eval, without what only concerns running it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str | None = Field(None, min_length=1)
    description: str | None = None
    stimuli: list[Any] = Field(min_length=1)
    graders: list[Any] = []
    scoring: VallyScoring | None = None


def load_vally(document: Document, parameters: Mapping[str, str], first_index: int = 0) -> Dialect:
    """The checks of a Vally eval, indexed from `first_index`: those of the file, then stimulus by stimulus.

    Args:
        document: the document.
        parameters: values of `${KEY}`, which win over the defaults of `${KEY=default}`.
        first_index: the first spec index.

    Raises:
        InvalidError: with every problem of the document.
    """
    loader = _VallyLoader(document, parameters, first_index)
    top: dict[str, Any] = document.value
    kept = loader.without(top, _ONLY_FOR_RUNNING, ())
    spec = loader.validate(VallySpec, kept, ())
    loader.graders(top.get("graders"), ("graders",), sample=None)
    stimuli = top.get("stimuli")
    for number, item in enumerate(stimuli if isinstance(stimuli, list) else []):
        loader.stimulus(item, ("stimuli", number))
    scoring = spec.scoring if spec is not None else None
    entries = loader.weighted(scoring.weights if scoring else {})
    if not entries and not loader.problems:
        loader.refuse((), "no stimulus and not the file has a grader; there is nothing to grade by")
    loader.raise_problems()
    return Dialect(
        "vally",
        entries,
        scoring.threshold if scoring else None,
        ignored=tuple(loader.ignored),
        places=tuple(loader.places.values()),
    )


class _VallyLoader(EntryLoader):
    def __init__(self, document: Document, parameters: Mapping[str, str], first_index: int) -> None:
        super().__init__(document)
        self.ignored: list[str] = []
        self._parameters = parameters
        self._first_index = first_index
        self._entries: list[CheckEntry] = []
        self._count = 0

    def without(self, item: dict[str, Any], keys: tuple[str, ...], path: Path) -> dict[str, Any]:
        """The item without keys that only concern running agents, which are noted."""
        self.ignored += [show_path((*path, key)) for key in item if key in keys]
        return {key: value for key, value in item.items() if key not in keys}

    def stimulus(self, item: Any, path: Path) -> None:
        if not isinstance(item, dict):
            self.refuse(path, "a stimulus is a mapping with the key name")
            return
        kept = self.without(item, _STIMULUS_ONLY_FOR_RUNNING, path)
        kept["name"] = self._filled(kept.get("name"), (*path, "name"))
        self.claim_name(kept, path, scope="stimuli")
        stimulus = self.validate(VallyStimulus, kept, path)
        name = stimulus.name if stimulus is not None else ""
        rubric = stimulus.rubric if stimulus is not None else None
        self.graders(item.get("graders"), (*path, "graders"), sample=name, rubric=rubric)

    def graders(self, items: Any, path: Path, sample: str | None, rubric: list[str] | None = None) -> None:
        for number, item in enumerate(items if isinstance(items, list) else []):
            at: Path = (*path, number)
            filled = _with_rubric(self._filled(item, at), rubric)
            if isinstance(filled, dict):
                self.claim_name(filled, at, scope=f"graders of {sample}")
                for key in ("samples", "tags"):
                    if key in filled:
                        self.refuse((*at, key), f"a grader has no {key}; known: {', '.join(_GRADER_KEYS)}")
            entry = self.entry(filled, at, self._first_index + self._count)
            self._count += 1
            if entry is not None:
                # A glob that only the stimulus's own name meets.
                samples = () if sample is None else (glob.escape(sample),)
                self._entries.append(dataclasses.replace(entry, samples=samples))

    def weighted(self, weights: Mapping[str, float]) -> tuple[CheckEntry, ...]:
        """The entries with the weights of their types, where the file gives any."""
        for type_ in weights:
            if type_ not in {entry.check_type for entry in self._entries} and not self.problems:
                self.refuse(("scoring", "weights", type_), f"no grader is of the type {type_!r}")
            if weights[type_] <= 0:
                self.refuse(("scoring", "weights", type_), "a weight is greater than 0; leave the type out")
        return tuple(
            dataclasses.replace(entry, weight=weights.get(entry.check_type, entry.weight))
            for entry in self._entries
        )

    def _filled(self, value: Any, path: Path) -> Any:
        """The value with its parameters filled in."""
        if isinstance(value, dict):
            return {key: self._filled(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item, (*path, number)) for number, item in enumerate(value)]
        if not isinstance(value, str):
            return value

        def fill(match: re.Match[str]) -> str:
            key, default = match[1], match[2]
            if key in self._parameters:
                return self._parameters[key]
            if default is None:
                self.refuse(path, f"the parameter {key} has no value; give one with --param {key}=VALUE")
                return match[0]
            return default

        return _PARAMETER.sub(fill, value)


def _with_rubric(item: Any, rubric: list[str] | None) -> Any:
    """A judged grader without criteria of its own, with those of its stimulus."""
    if rubric is None or not isinstance(item, dict) or item.get("type") not in _JUDGED:
        return item
    config = item.get("config", {})
    if not isinstance(config, dict) or "prompt" in config or "rubric" in config:
        return item
    return {**item, "config": {**config, "rubric": rubric}}
