"""The Guild dialect: checks with flat parameters, each for every sample."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graders.catalog import check_types
from graders.scope import CheckEntry
from pipeline.specs.entries import EntryLoader, Wrapper
from pipeline.specs.loaded import Dialect
from pipeline.specs.native import reference_text
from pipeline.specs.yaml_reader import Document, Path, show_path

_ONLY_FOR_RUNNING = ("epochs", "agent", "model", "timeout", "concurrency", "environment")
_SAMPLE_ONLY_FOR_RUNNING = ("input", "timeout", "setup", "metadata", "description", "environment")


_NATIVE_ONLY = {
    name: f"a Guild check has no {name}; a native spec has (gradebeam convert)"
    for name in Wrapper.model_fields
}


class GuildSample(BaseModel):
    """A sample; what is recorded of it is graded by its name."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, description="The sample id of its trajectories.")
    reference: dict[str, Any] | None = Field(None, description="Reference data where the record has none.")


class GuildEvaluation(BaseModel):
    """The top level of a Guild evaluation."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str | None = Field(None, min_length=1)
    description: str | None = None
    samples: list[Any] = []
    checks: list[Any] = Field(min_length=1)


def load_guild(document: Document, first_index: int = 0) -> Dialect:
    """The checks of a Guild evaluation, indexed from `first_index`.

    Raises:
        InvalidError: with every problem of the document.
    """
    loader = EntryLoader(document)
    top: dict[str, Any] = document.value
    ignored = [key for key in _ONLY_FOR_RUNNING if key in top]
    spec = loader.validate(
        GuildEvaluation, {key: item for key, item in top.items() if key not in ignored}, ()
    )
    references = _references(loader, top.get("samples"), ignored)
    items = top.get("checks")
    entries: list[CheckEntry | None] = []
    if isinstance(items, list) and any(isinstance(item, dict) and "config" in item for item in items):
        loader.refuse((), "checks with a config are those of a native spec, which begins with version: 1")
        loader.raise_problems()
    for number, item in enumerate(items if isinstance(items, list) else []):
        path: Path = ("checks", number)
        if not isinstance(item, dict):
            loader.refuse(path, "a check is a mapping with the key type")
            continue
        loader.claim_name(item, path)
        wrapper = loader.validate(Wrapper, {key: item[key] for key in ("type", "name") if key in item}, path)
        check = loader.check(item.get("type"), _parameters(item), path, path, _NATIVE_ONLY)
        entries.append(loader.combine(wrapper, check, path, first_index + number))
    loader.raise_problems()
    good = tuple(entry for entry in entries if entry is not None)
    return Dialect(
        "guild",
        good,
        references=references,
        description=spec.description if spec is not None else None,
        ignored=tuple(ignored),
        places=tuple(loader.places.values()),
    )


def _parameters(item: dict[str, Any]) -> dict[str, Any]:
    """The flat parameters of a check; a `name` is the check's, unless its type has such a parameter."""
    check_type = check_types().get(str(item.get("type")))
    own_name = check_type is not None and "name" in check_type.model_fields
    return {key: value for key, value in item.items() if key != "type" and (key != "name" or own_name)}


def _references(loader: EntryLoader, samples: Any, ignored: list[str]) -> dict[str, str]:
    references: dict[str, str] = {}
    for number, item in enumerate(samples if isinstance(samples, list) else []):
        path: Path = ("samples", number)
        if not isinstance(item, dict):
            loader.refuse(path, "a sample is a mapping with the key name")
            continue
        skipped = [key for key in _SAMPLE_ONLY_FOR_RUNNING if key in item]
        ignored += [show_path((*path, key)) for key in skipped]
        loader.claim_name(item, path, scope="samples")
        kept = {key: value for key, value in item.items() if key not in skipped}
        sample = loader.validate(GuildSample, kept, path)
        if sample is not None and sample.reference is not None:
            references[sample.name] = reference_text(sample.reference)
    return references
