"""Entries of a spec: the keys around a check, and the check itself, the same in every dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from graders.catalog import check_types
from graders.check import BaseCheck
from graders.scope import CheckEntry
from pipeline.errors import InvalidError, Problem, nearest
from pipeline.specs.explain import explain
from pipeline.specs.yaml_reader import Document, Path, show_path

T = TypeVar("T", bound=BaseModel)

_REFUSED = {
    "run-command": "it needs a live workspace; for recorded runs use file-matches, diff-contains"
    " or custom-metrics",
    "program": "it needs a live workspace; for recorded runs use custom-metrics, or a plugin check",
}


_LAST_TURN = 2**31 - 1


def _is_turn(turn: int) -> int:
    if not -1 <= turn <= _LAST_TURN:
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
    weight: float = Field(1.0, gt=0, allow_inf_nan=False, description="Share in a trajectory's score.")
    config: dict[str, Any] = Field({}, description="The parameters of the type.")


class PartEntry(BaseModel):
    """The keys around a part of a combination."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    type: str = Field(min_length=1, description="The check type.")
    negate: bool = Field(False, description="Swap pass and fail.")
    config: dict[str, Any] = Field({}, description="The parameters of the type.")


class EntryLoader:
    """Turns the items of a document into check entries, and gathers what is wrong with them.

    Attributes:
        document: the document.
        problems: everything that was wrong so far.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.places: dict[int, str] = {}
        self._names: dict[tuple[str, str], str] = {}

    def refuse(self, path: Path, message: str) -> None:
        """Add a problem."""
        self.problems.append(self.document.problem(path, message))

    def raise_problems(self) -> None:
        """Raise all problems, in order of their lines.

        Raises:
            InvalidError: there are any.
        """
        if self.problems:
            raise InvalidError(sorted(self.problems, key=lambda problem: problem.line))

    def validate(
        self, model: type[T], value: Any, path: Path, misplaced: Mapping[str, str] | None = None
    ) -> T | None:
        """The value as a model, or None and problems; a key that is given has a value."""
        nulls = _nulls(model, value)
        for key in nulls:
            self.refuse((*path, key), "expected a value, got null; leave the key out, or quote it")
        if nulls:
            value = {key: item for key, item in value.items() if key not in nulls}
        try:
            return model.model_validate(value)
        except ValidationError as error:
            self.problems += explain(error, self.document, path, model, misplaced=misplaced)
            return None

    def entry(self, item: Any, path: Path, spec_index: int) -> CheckEntry | None:
        """An entry in the native form, or None and problems."""
        if not isinstance(item, dict):
            self.refuse(path, "a check is a mapping with the key type")
            return None
        before = len(self.problems)
        wrapper = self.validate(Wrapper, item, path, _misplaced(item))
        check = self.check(item.get("type"), item.get("config", {}), path, (*path, "config"))
        return self.combine(wrapper, check, path, spec_index) if len(self.problems) == before else None

    def combine(
        self, wrapper: Wrapper | None, check: BaseCheck | None, path: Path, spec_index: int
    ) -> CheckEntry | None:
        """The entry of a wrapper and its check, where both are good."""
        if wrapper is None or check is None:
            return None
        if wrapper.turn is not None and not check.allows_turn:
            self.refuse((*path, "turn"), f"{check.type_name} does not look at turns")
            return None
        self.places[spec_index] = str(self.document.problem(path, "")).rstrip(": ")
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

    def claim_name(self, item: Any, path: Path, scope: str = "") -> None:
        """See that the name of an item is taken once in its scope."""
        name = item.get("name") if isinstance(item, dict) else None
        if not isinstance(name, str):
            return
        here = show_path(path)
        taken = self._names.setdefault((scope, name), here)
        if taken != here:
            self.refuse((*path, "name"), f"the name {name!r} is taken by {taken}; names are unique")

    def check(self, type_name: Any, config: Any, path: Path, config_path: Path) -> BaseCheck | None:
        """A check of a type from its config, or None and problems."""
        if not isinstance(type_name, str):
            return None  # The wrapper has said so.
        check_type = check_types().get(type_name)
        if check_type is None:
            reason = _REFUSED.get(type_name)
            unknown = f"unknown check type {type_name!r}{nearest(type_name, check_types())}"
            self.refuse(
                (*path, "type"),
                f"{type_name} cannot grade recorded runs: {reason}"
                if reason
                else f"{unknown}; `gradebeam checks` lists all",
            )
            return None
        if not isinstance(config, dict):
            return None  # The wrapper has said this too.
        key = check_type.parts_key
        if key is not None and key in config:
            before = len(self.problems)
            config = {**config, key: self._parts(config[key], (*config_path, key))}
            if len(self.problems) > before:
                return None
        beside = {name: f"{name} belongs beside config, not into it" for name in Wrapper.model_fields}
        return self.validate(check_type, config, config_path, beside)

    def _parts(self, items: Any, path: Path) -> Any:
        """The parts of a combination as checks; what is no list is left to the combination to refuse."""
        if not isinstance(items, list):
            return items
        parts: list[dict[str, Any]] = []
        for number, item in enumerate(items):
            at: Path = (*path, number)
            if not isinstance(item, dict):
                self.refuse(at, "a part is a mapping with the key type")
                continue
            hints = {
                name: f"{name} belongs to the combination, not to a part" for name in Wrapper.model_fields
            }
            self.validate(PartEntry, item, at, {**hints, **_misplaced(item)})
            check = self.check(item.get("type"), item.get("config", {}), at, (*at, "config"))
            parts.append({"check": check, "negate": item.get("negate", False)})
        return parts


def _nulls(model: type[BaseModel], value: Any) -> list[str]:
    """The keys of a mapping that are null where the model would take that for a key left out."""
    if not isinstance(value, dict):
        return []
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    return [key for key in value if value[key] is None and key in fields and _may_be_left_out(fields[key])]


def _may_be_left_out(field: FieldInfo) -> bool:
    return not field.is_required() and field.default is None and field.annotation is not Any


def _misplaced(item: dict[str, Any]) -> dict[str, str]:
    """Hints for keys of the type's config that stand beside it."""
    name = item.get("type")
    check_type = check_types().get(name) if isinstance(name, str) else None
    if check_type is None:
        return {}
    names = [field.alias or name for name, field in check_type.model_fields.items()]
    return {name: f"{name} belongs into config" for name in names}
