"""Gates: what a run must meet, as a spec or a job asks for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_serializer, model_validator

from graders.catalog import check_types
from graders.statistics import MOST_K
from pipeline.errors import nearest

Rate = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class MaxDrop(BaseModel):
    """How far the pass rate may drop against the baseline, over the trajectories decided in both runs."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    absolute: Rate | None = Field(None, description="The largest drop: 0.02 is two points.")
    relative: Rate | None = Field(None, description="The largest drop as a share of the baseline's rate.")
    alpha: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] | None = Field(
        None,
        description="Only a drop with McNemar p below it counts; alone, any such drop is one too many.",
    )

    @model_validator(mode="after")
    def _has_limit(self) -> MaxDrop:
        if self == MaxDrop.model_construct():
            raise ValueError("at least one of absolute, relative and alpha is needed")
        return self


class MinPassRate(BaseModel):
    """The least chance that of k trials of a sample one passes, or that all do."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    k: Annotated[int, Field(ge=1, le=MOST_K)] = Field(description="How many trials.")
    min: Rate = Field(description="The least chance, averaged over the samples with k decided trials.")


def _to_drop(value: Any) -> Any:
    """A plain number is an absolute drop."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"absolute": value} if is_number else value


def _to_slice(value: Any) -> Any:
    """A key alone stands for each of its values."""
    return {value: None} if isinstance(value, str) else value


Drop = Annotated[MaxDrop, BeforeValidator(_to_drop, json_schema_input_type=Rate | MaxDrop)]


class Gate(BaseModel):
    """Limits, all inclusive, on the verdicts of one check, of a type, or of all, or on whole trajectories.

    Advisory checks do not count. Trajectories count by what a spec says of them: passed, failed or
    undecided; a gate of a spec is for its own, one of a job for those of each spec in turn.
    A gate is met when each of its limits is. One on what is not there, or without data, is not met.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str | None = Field(None, min_length=1, description="What the gate is called in reports.")
    over: Literal["verdicts", "trajectories"] = Field(
        "verdicts", description="What is counted: verdicts of checks, or trajectories by their outcome."
    )
    check: str | int | None = Field(None, description="The name or spec index of the check that it is for.")
    type: str | None = Field(None, description="The check type that it is for, summed up.")
    slice: (
        Annotated[
            dict[str, str | None], BeforeValidator(_to_slice, json_schema_input_type=str | dict[str, str])
        ]
        | None
    ) = Field(
        None, description="The slice that it is for, as {key: value}; the key alone stands for each value."
    )
    min_pass_rate: Rate | None = Field(None, description="The least passed / (passed + failed).")
    max_fail: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The most verdicts or trajectories that fail."
    )
    max_abstain_rate: Rate | None = Field(
        None, description="The largest abstained / total; of trajectories undecided / total."
    )
    max_error_abstains: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The most abstentions whose code is of the class error."
    )
    min_total: Annotated[int, Field(ge=1)] | None = Field(
        None, description="The fewest verdicts or trajectories."
    )
    min_pass_at_k: MinPassRate | None = Field(
        None, description="The least pass@k, over trajectories: that one of k trials passes."
    )
    min_pass_hat_k: MinPassRate | None = Field(
        None, description="The least pass^k, over trajectories: that all of k trials pass."
    )
    max_drop: Drop | None = Field(
        None, description="The largest drop of the pass rate against the baseline; a number is absolute."
    )

    @field_serializer("slice")
    def _write_slice(self, value: dict[str, str | None] | None) -> Any:
        keys = [key for key, of_key in (value or {}).items() if of_key is None]
        return keys[0] if keys else value

    @model_validator(mode="after")
    def _is_whole(self) -> Gate:
        if self.check is not None and self.type is not None:
            raise ValueError("a gate is for a check or for a type, not for both")
        if self.slice is not None and len(self.slice) != 1:
            raise ValueError("slice names one key with its value; give each slice a gate of its own")
        others = _OF_VERDICTS if self.over == "trajectories" else _OF_TRAJECTORIES
        wrong = [key for key in others if getattr(self, key) is not None]
        if wrong:
            raise ValueError(f"a gate over {self.over} has no {', '.join(wrong)}")
        if all(getattr(self, limit) is None for limit in LIMITS):
            raise ValueError(f"a gate needs a limit: one of {', '.join(LIMITS)}")
        return self


LIMITS = (
    *("min_pass_rate", "max_fail", "max_abstain_rate", "max_error_abstains", "min_total"),
    *("min_pass_at_k", "min_pass_hat_k", "max_drop"),
)
_OF_VERDICTS = ("check", "type", "max_error_abstains")
_OF_TRAJECTORIES = ("min_pass_at_k", "min_pass_hat_k")


class Gateable(Protocol):
    """A check, as far as gates care."""

    @property
    def spec_index(self) -> int:
        """Its place among the checks of the run."""
        ...

    @property
    def check_type(self) -> str:
        """Its type."""
        ...

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        ...

    @property
    def advisory(self) -> bool:
        """Whether it never gates."""
        ...


@dataclasses.dataclass(frozen=True)
class BoundGate:
    """A gate and the checks that it is for.

    Attributes:
        gate: the gate.
        place: where it is written, as `file:line`.
        spec_indexes: the checks; empty when there is none of the type.
        spec: position of the spec whose trajectories it is for; None for those of each spec.
    """

    gate: Gate
    place: str
    spec_indexes: tuple[int, ...]
    spec: int | None = None

    @property
    def is_over_trajectories(self) -> bool:
        """Whether it counts trajectories and not verdicts."""
        return self.gate.over == "trajectories"

    @property
    def target(self) -> str:
        """The checks that it is for, in words."""
        if self.gate.check is not None:
            return f"check {self.gate.check}"
        return "all checks" if self.gate.type is None else f"type {self.gate.type}"


def bind_gate(
    gate: Gate, place: str, checks: Sequence[Gateable], first_index: int = 0, spec: int | None = None
) -> BoundGate:
    """Find the checks of a gate.

    Args:
        gate: the gate.
        place: where it is written.
        checks: all checks that it could be for.
        first_index: the spec index that the gate calls 0.
        spec: position of the spec that the gate is written in; None for a job.

    Raises:
        UnboundGateError: it names no check, or one that never gates, or no type.
    """
    if gate.check is not None:
        found = _named(gate.check, checks, first_index)
        if all(check.advisory for check in found):
            raise UnboundGateError("check", f"{gate.check!r} is advisory, and an advisory check never gates")
    else:
        if gate.type is not None and gate.type not in check_types():
            raise UnboundGateError(
                "type", f"unknown check type {gate.type!r}{nearest(gate.type, check_types())}"
            )
        found = [check for check in checks if gate.type in (None, check.check_type)]
    return BoundGate(gate, place, tuple(check.spec_index for check in found if not check.advisory), spec)


class UnboundGateError(ValueError):
    """A gate is for something that cannot be.

    Attributes:
        key: which key of the gate says so.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def _named(named: str | int, checks: Sequence[Gateable], first_index: int) -> list[Gateable]:
    if isinstance(named, str):
        found = [check for check in checks if check.name == named]
        if not found:
            names = [check.name for check in checks if check.name is not None]
            raise UnboundGateError("check", f"no check has the name {named!r}{nearest(named, names)}")
        return found
    found = [check for check in checks if check.spec_index == first_index + named]
    if not found:
        raise UnboundGateError("check", f"there is no check {named}; spec indexes are 0 to {len(checks) - 1}")
    return found
