"""Entries of a spec: the keys around a check, and the check itself, the same in every dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from graders.catalog import check_types
from graders.check import BaseCheck
from graders.scope import CheckEntry
from pipeline.errors import InvalidError, Problem, nearest
from pipeline.specs.empty_keys import empty_keys
from pipeline.specs.explain import explain, locate
from pipeline.specs.rules import broken_rules
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


_WANTS_TEXT = ("string_type", "literal_error", "model_type")  # The last: an entry that may be a text.
_BESIDE_CONFIG = {name: f"{name} belongs beside config, not into it" for name in Wrapper.model_fields}


class EntryLoader:
    """Turns the items of a document into check entries, and gathers what is wrong with them.

    Attributes:
        document: the document.
        problems: everything that was wrong so far.
        other_readings: for values that may be read in two ways, by path: the other one.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = list(document.problems)
        self.other_readings: dict[Path, Any] = {}
        self.places: dict[int, str] = {}
        self._names: dict[tuple[str, str], str] = {}

    def refuse(self, path: Path, message: str) -> None:
        """Add a problem, unless the value was refused already."""
        if not self.document.is_refused(path):
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
        empty = list(empty_keys(model, value))
        for loc in empty:
            self.refuse((*path, *loc), "expected a value, got null; leave the key out, or quote it")
        if empty:
            value = {key: item for key, item in value.items() if (key,) not in empty}
        try:
            return model.model_validate(value)
        except ValidationError as caught:
            error = caught
        reread = self._reread(value, path, error)
        if reread is not None:
            value = reread
            try:
                return model.model_validate(value)
            except ValidationError as caught:
                error = caught
        self.problems += explain(error, self.document, path, model, misplaced=misplaced)
        for loc, rule in broken_rules(model, value, error):
            at = locate(loc, self.document, path)
            if not self.document.lacks_value(at):
                self.refuse(at, rule)
        return None

    def _reread(self, value: Any, path: Path, error: ValidationError) -> Any:
        """The value with the other reading of each part that was refused, or None where there is none."""
        if not self.other_readings:
            return None
        paths: set[Path] = set()
        for item in error.errors(include_url=False, include_context=False):
            at = locate(item["loc"], self.document, path)
            if at in self.other_readings and (
                item["type"] in _WANTS_TEXT or not isinstance(self.other_readings[at], str)
            ):
                paths.add(at)
        for at in paths:
            value = _replaced(value, at[len(path) :], self.other_readings[at])
        return value if paths else None

    def entry(self, item: Any, path: Path, spec_index: int) -> CheckEntry | None:
        """An entry in the native form, or None and problems."""
        if not isinstance(item, dict):
            self.refuse(path, "a check is a mapping with the key type")
            return None
        before = len(self.problems)
        wrapper = self.validate(Wrapper, item, path, _misplaced(item))
        check = self.check(item.get("type"), item.get("config", {}), path, (*path, "config"))
        judge = check or check_types().get(item["type"] if isinstance(item.get("type"), str) else "")
        if "turn" in item and judge is not None and judge.allows_turn is False:
            self.refuse((*path, "turn"), f"{judge.type_name} does not look at turns")
        return self.combine(wrapper, check, path, spec_index) if len(self.problems) == before else None

    def combine(
        self, wrapper: Wrapper | None, check: BaseCheck | None, path: Path, spec_index: int
    ) -> CheckEntry | None:
        """The entry of a wrapper and its check, where both are good."""
        if wrapper is None or check is None:
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

    def check(
        self,
        type_name: Any,
        config: Any,
        path: Path,
        config_path: Path,
        misplaced: Mapping[str, str] = _BESIDE_CONFIG,
    ) -> BaseCheck | None:
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
        return self.validate(check_type, config, config_path, {**misplaced, **check_type.refused_keys})

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


def _replaced(value: Any, loc: Path, new: Any) -> Any:
    """A copy of a value with something else at a place in it."""
    if not loc:
        return new
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    copy[loc[0]] = _replaced(copy[loc[0]], loc[1:], new)
    return copy


def _misplaced(item: dict[str, Any]) -> dict[str, str]:
    """Hints for keys of the type's config that stand beside it."""
    name = item.get("type")
    check_type = check_types().get(name) if isinstance(name, str) else None
    if check_type is None:
        return {}
    names = [field.alias or name for name, field in check_type.model_fields.items()]
    return {name: f"{name} belongs into config" for name in names}
