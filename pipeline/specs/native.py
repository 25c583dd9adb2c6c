"""The native dialect (`version: 1`): from a document to check entries, all problems at once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from graders.catalog import check_types
from graders.check import BaseCheck
from graders.scope import CheckEntry
from pipeline.errors import InvalidError, Problem, nearest
from pipeline.specs.explain import explain
from pipeline.specs.yaml_reader import Document, Path

_REFUSED = {
    "run-command": "it needs a live workspace; for recorded runs use file-matches, diff-contains"
    " or custom-metrics",
    "program": "it needs a live workspace; for recorded runs use custom-metrics, or a plugin check",
}


def _is_turn(turn: int) -> int:
    if turn < -1:
        raise ValueError("turns count from 0, and -1 is the last one")
    return turn


class Wrapper(BaseModel):
    """The keys around a check, the same for every type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    type: str = Field(min_length=1, description="The check type; `gradebeam checks` lists them.")
    name: str | None = Field(None, min_length=1, description="A unique name for tables and baselines.")
    turn: Annotated[int, AfterValidator(_is_turn)] | None = Field(
        None, description="The 0-based turn that the check sees; -1 is the last with agent activity."
    )
    samples: list[Annotated[str, Field(min_length=1)]] = Field(
        [], min_length=1, description="Globs of sample ids that the check concerns."
    )
    tags: dict[str, str] = Field({}, min_length=1, description="Tags that a trajectory must carry.")
    negate: bool = Field(False, description="Swap pass and fail.")
    advisory: bool = Field(False, description="Count the check, but never gate on it.")
    weight: float = Field(
        1.0, gt=0, allow_inf_nan=False, strict=False, description="Share in a trajectory's score."
    )
    config: dict[str, Any] = Field({}, description="The parameters of the type.")


class PartEntry(BaseModel):
    """The keys around a part of a combination."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    type: str = Field(min_length=1, description="The check type.")
    negate: bool = Field(False, description="Swap pass and fail.")
    config: dict[str, Any] = Field({}, description="The parameters of the type.")


class Spec(BaseModel):
    """The top level of a native spec."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: Literal[1]
    name: str | None = Field(None, min_length=1)
    description: str | None = None
    checks: list[Any] | None = Field(None, min_length=1)
    graders: list[Any] | None = Field(None, min_length=1)


def load_native(document: Document, first_index: int = 0) -> list[CheckEntry]:
    """The entries of a native spec, indexed from `first_index`.

    Raises:
        InvalidError: with every problem of the document.
    """
    problems: list[Problem] = []
    if not isinstance(document.value, dict):
        raise InvalidError([document.problem((), "a spec is a mapping with the keys version and checks")])
    top: dict[str, Any] = document.value
    try:
        Spec.model_validate(top)
    except ValidationError as error:
        problems += explain(error, document, (), Spec)
    key = "graders" if "graders" in top and "checks" not in top else "checks"
    if "checks" in top and "graders" in top:
        problems.append(document.problem(("graders",), "checks and graders mean the same; keep one"))
    elif key not in top:
        problems.append(document.problem((), "the key checks is missing"))
    items = top.get(key)
    entries: list[CheckEntry] = []
    names: dict[str, int] = {}
    for number, item in enumerate(items if isinstance(items, list) else []):
        path: Path = (key, number)
        name = item.get("name") if isinstance(item, dict) else None
        if isinstance(name, str) and names.setdefault(name, number) != number:
            taken = f"the name {name!r} is taken by {key}[{names[name]}]; names are unique"
            problems.append(document.problem((*path, "name"), taken))
        entry = _load_entry(item, document, path, first_index + number, problems)
        if entry is not None:
            entries.append(entry)
    if problems:
        raise InvalidError(sorted(problems, key=_line_of))
    return entries


def _line_of(problem: Problem) -> int:
    return int(problem.where.rsplit(":", 1)[-1])


def _load_entry(
    item: Any, document: Document, path: Path, spec_index: int, problems: list[Problem]
) -> CheckEntry | None:
    if not isinstance(item, dict):
        problems.append(document.problem(path, "a check is a mapping with the key type"))
        return None
    before = len(problems)
    wrapper = None
    try:
        wrapper = Wrapper.model_validate(item)
    except ValidationError as error:
        problems += explain(error, document, path, Wrapper, misplaced=_misplaced(item))
    check = load_check(item.get("type"), item.get("config", {}), document, path, problems)
    if check is not None and wrapper is not None and wrapper.turn is not None and not check.allows_turn:
        problems.append(document.problem((*path, "turn"), f"{check.type_name} does not look at turns"))
    if wrapper is None or check is None or len(problems) > before:
        return None
    return CheckEntry(
        spec_index=spec_index,
        name=wrapper.name,
        check=check,
        turn=wrapper.turn,
        samples=tuple(wrapper.samples),
        tags=tuple(sorted(wrapper.tags.items())),
        negate=wrapper.negate,
        advisory=wrapper.advisory,
        weight=wrapper.weight,
    )


def load_check(
    type_name: Any, config: Any, document: Document, path: Path, problems: list[Problem]
) -> BaseCheck | None:
    """Build a check of a type from its config, or add to `problems` and return None."""
    if not isinstance(type_name, str):
        return None  # The wrapper has said so.
    check_type = check_types().get(type_name)
    if check_type is None:
        reason = _REFUSED.get(type_name)
        problems.append(
            document.problem(
                (*path, "type"),
                f"{type_name} cannot grade recorded runs: {reason}"
                if reason
                else f"unknown check type {type_name!r}{nearest(type_name, check_types())};"
                " `gradebeam checks` lists all",
            )
        )
        return None
    if not isinstance(config, dict):
        return None
    key = check_type.parts_key
    if key is not None and key in config:
        before = len(problems)
        config = {**config, key: _load_parts(config[key], document, (*path, "config", key), problems)}
        if len(problems) > before:
            return None
    try:
        return check_type.model_validate(config)
    except ValidationError as error:
        misplaced = {key: f"{key} belongs beside config, not into it" for key in Wrapper.model_fields}
        problems += explain(error, document, (*path, "config"), check_type, misplaced=misplaced)
        return None


def _load_parts(items: Any, document: Document, path: Path, problems: list[Problem]) -> Any:
    """The parts of a combination as checks; what is no list is left to the combination to refuse."""
    if not isinstance(items, list):
        return items
    parts: list[dict[str, Any]] = []
    for number, item in enumerate(items):
        at: Path = (*path, number)
        if not isinstance(item, dict):
            problems.append(document.problem(at, "a part is a mapping with the key type"))
            continue
        try:
            PartEntry.model_validate(item)
        except ValidationError as error:
            hints = {key: f"{key} belongs to the combination, not to a part" for key in Wrapper.model_fields}
            problems += explain(error, document, at, PartEntry, misplaced={**hints, **_misplaced(item)})
        check = load_check(item.get("type"), item.get("config", {}), document, at, problems)
        parts.append({"check": check, "negate": item.get("negate", False)})
    return parts


def _misplaced(item: dict[str, Any]) -> dict[str, str]:
    """Hints for keys of the type's config that stand beside it."""
    check_type = check_types().get(item.get("type", ""))
    if check_type is None:
        return {}
    names = [field.alias or name for name, field in check_type.model_fields.items()]
    return {name: f"{name} belongs into config" for name in names}
