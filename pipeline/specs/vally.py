"""The Vally dialect (`stimuli`): graders of the file, and of each stimulus for its own trajectories."""

from __future__ import annotations

import dataclasses
import glob
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graders.scope import CheckEntry
from pipeline.errors import nearest
from pipeline.specs.entries import EntryLoader
from pipeline.specs.loaded import Dialect
from pipeline.specs.parameters import fill
from pipeline.specs.yaml_reader import Document, Path, show_path

_ONLY_FOR_RUNNING = (
    "version", "type", "tags", "environment", "config", "defaults", "executor", "timeout", "constraints",
)  # fmt: skip
_STIMULUS_ONLY_FOR_RUNNING = (
    "description", "prompt", "turns", "environment", "constraints", "tags", "timeout", "config", "defaults",
    "executor", "model", "runs",
)  # fmt: skip
_SETTINGS = ("config", "defaults")  # The old and the new spelling.
_GRADER_KEYS = ("type", "name", "turn", "negate", "advisory", "weight", "config")
_JUDGED = ("prompt", "panel")
_EXPECTATIONS = ("expect_", "reject_")  # How constraints begin that Vally does not only limit a run by.


class VallyScoring(BaseModel):
    """How graders become a score: weights by type, and the score from which a trajectory passes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    weights: dict[str, float] = Field({}, description="Weight of each grader type.")
    threshold: float | None = Field(None, ge=0, le=1, description="The score from which a trajectory passes.")


class VallyStimulus(BaseModel):
    """A stimulus, without what only concerns running it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, description="The sample id of its trajectories.")
    rubric: list[str] | None = Field(None, description="Criteria for judges that have none of their own.")
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
    loader.read_judge_model(top)
    if "scoring" in kept:
        kept["scoring"] = fill(kept["scoring"], ("scoring",), parameters, loader)
    spec = loader.validate(VallySpec, kept, ())
    loader.graders(top.get("graders"), ("graders",), sample=None)
    stimuli = top.get("stimuli")
    for number, item in enumerate(stimuli if isinstance(stimuli, list) else []):
        loader.stimulus(item, ("stimuli", number))
    scoring = spec.scoring if spec is not None else None
    entries = loader.weighted(scoring.weights if scoring else {})
    if not entries and not loader.problems:
        loader.refuse((), "neither a stimulus nor the file has a grader; there is nothing to grade by")
    loader.raise_problems()
    return Dialect(
        "vally",
        entries,
        scoring.threshold if scoring else None,
        description=spec.description if spec else None,
        ignored=tuple(loader.ignored),
        warnings=tuple(loader.warnings),
        places=tuple(loader.places.values()),
    )


class _VallyLoader(EntryLoader):
    def __init__(self, document: Document, parameters: Mapping[str, str], first_index: int) -> None:
        super().__init__(document)
        self.ignored: list[str] = []
        self.warnings: list[str] = []
        self._parameters = parameters
        self._first_index = first_index
        self._entries: list[CheckEntry] = []
        self._count = 0
        self._judge_model: str | None = None
        self._types: set[str] = set()
        self._own_weights: dict[str, Path] = {}

    def without(self, item: dict[str, Any], keys: tuple[str, ...], path: Path) -> dict[str, Any]:
        """The item without keys that only concern running agents, which are noted."""
        for key, value in item.items():
            if key not in keys:
                continue
            inner: dict[str, Any] = value if isinstance(value, dict) else {}
            if key in _SETTINGS and not path and "judge_model" in inner:
                self.ignored += [show_path((key, name)) for name in inner if name != "judge_model"]
            else:
                self.ignored.append(show_path((*path, key)))
            if key == "constraints":
                self.warnings += [
                    f"{show_path((*path, key, name))} is not checked; ask for it in a grader"
                    for name in inner
                    if name.startswith(_EXPECTATIONS)
                ]
        return {key: value for key, value in item.items() if key not in keys}

    def read_judge_model(self, top: Mapping[str, Any]) -> None:
        """Remember the model of judges that name none, under either spelling of the settings."""
        for key in _SETTINGS:
            settings = top.get(key)
            if isinstance(settings, dict) and "judge_model" in settings:
                path: Path = (key, "judge_model")
                model = fill(settings["judge_model"], path, self._parameters, self)
                if not isinstance(model, str) or not model:
                    self.refuse(path, "expected the name of a model")
                elif self._judge_model not in (None, model):
                    self.refuse(path, "config and defaults name different models; keep one")
                else:
                    self._judge_model = model

    def stimulus(self, item: Any, path: Path) -> None:
        if not isinstance(item, dict):
            self.refuse(path, "a stimulus is a mapping with the key name")
            return
        kept = self.without(item, _STIMULUS_ONLY_FOR_RUNNING, path)
        for key in ("name", "rubric"):
            if key in kept:
                kept[key] = fill(kept[key], (*path, key), self._parameters, self)
        self.claim_name(kept, path, scope="stimuli")
        stimulus = self.validate(VallyStimulus, kept, path)
        name = stimulus.name if stimulus is not None else ""
        rubric = stimulus.rubric if stimulus is not None else None
        self.graders(item.get("graders"), (*path, "graders"), sample=name, rubric=rubric)

    def graders(self, items: Any, path: Path, sample: str | None, rubric: list[str] | None = None) -> None:
        for number, item in enumerate(items if isinstance(items, list) else []):
            at: Path = (*path, number)
            filled = fill(item, at, self._parameters, self)
            if isinstance(filled, dict):
                filled = self._with_defaults(filled, rubric)
                self.claim_name(filled, at, scope=f"graders of {sample}")
                for key in ("samples", "tags"):
                    if key in filled:
                        self.refuse((*at, key), f"a grader has no {key}; known: {', '.join(_GRADER_KEYS)}")
                self._types.add(str(filled.get("type")))
                if "weight" in filled:
                    self._own_weights[str(filled.get("type"))] = at
            entry = self.entry(filled, at, self._first_index + self._count)
            self._count += 1
            if entry is not None:
                # A glob that only the stimulus's own name meets.
                samples = () if sample is None else (glob.escape(sample),)
                self._entries.append(dataclasses.replace(entry, samples=samples))

    def _with_defaults(self, item: dict[str, Any], rubric: list[str] | None) -> dict[str, Any]:
        """A judged grader with the criteria of its stimulus and the model of its file, where it has none."""
        config = item.get("config", {})
        if item.get("type") not in _JUDGED or not isinstance(config, dict):
            return item
        defaults: dict[str, Any] = {}
        if rubric is not None and "rubric" not in config:
            defaults["rubric"] = rubric
        if self._judge_model is not None and item["type"] == "prompt" and "model" not in config:
            defaults["model"] = self._judge_model
        return {**item, "config": {**config, **defaults}} if defaults else item

    def weighted(self, weights: Mapping[str, float]) -> tuple[CheckEntry, ...]:
        """The entries with the weights of their types, where the file gives any."""
        for type_, weight in weights.items():
            path: Path = ("scoring", "weights", type_)
            if type_ not in self._types:
                self.refuse(path, f"no grader is of the type {type_!r}{nearest(type_, self._types)}")
            if weight <= 0:
                self.refuse(
                    path, "a weight is greater than 0; advisory: true keeps a grader out of the score"
                )
            if type_ in self._own_weights:
                other = show_path(self._own_weights[type_])
                self.refuse(path, f"{other} has a weight of its own; keep one of the two")
        return tuple(
            dataclasses.replace(entry, weight=weights.get(entry.check_type, entry.weight))
            for entry in self._entries
        )
