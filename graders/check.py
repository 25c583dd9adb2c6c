"""Check: the base of every check type, and the taxonomy that describes one."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from graders.batch import TrajectoryBatch
from graders.events import ToolMatcher
from graders.trajectory import FINAL_OUTPUT
from graders.verdicts import Verdicts


class Determinism(enum.StrEnum):
    """What decides: a fixed rule, a rule of several parts, a small or a large language model."""

    STATIC = "static"
    COMPLEX_STATIC = "complex-static"
    SLM = "slm"
    LLM = "llm"


class Cost(enum.StrEnum):
    """What one verdict costs."""

    FREE = "free"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Reference(enum.StrEnum):
    """Whether the check compares with reference data of the sample."""

    FREE = "reference-free"
    BASED = "reference-based"


class Scope(enum.StrEnum):
    """How much of the recorded time a verdict looks at."""

    POINT_IN_TIME = "point-in-time"
    TRAJECTORY = "trajectory-level"
    CROSS_TRAJECTORY = "cross-trajectory"


class ScoreKind(enum.StrEnum):
    """Who gives the score."""

    CODE = "code"
    LLM = "llm"


@dataclasses.dataclass(frozen=True)
class Taxonomy:
    """Where a check type stands among evaluation methods."""

    determinism: Determinism = Determinism.STATIC
    cost: Cost = Cost.FREE
    reference: Reference = Reference.FREE
    scope: Scope = Scope.TRAJECTORY
    score_kind: ScoreKind = ScoreKind.CODE

    def __str__(self) -> str:
        return " · ".join(str(getattr(self, field.name)) for field in dataclasses.fields(self))


class Subject(enum.Enum):
    """What must have been observed for a pass to mean anything; else it becomes NO_EVIDENCE."""

    ACTIVITY = "agent activity"
    OUTPUT = "output"
    MESSAGES = "assistant message"
    NOTHING = "nothing"


@dataclasses.dataclass(frozen=True)
class ListedTool:
    """A tool that a check names: its text in the spec, and which names it stands for."""

    text: str
    matches: ToolMatcher


@dataclasses.dataclass(frozen=True)
class ExactTool:
    """Accepts one tool name."""

    name: str

    def __call__(self, name: str) -> bool:  # noqa: D102  (the class says it)
        return name == self.name


class BaseCheck(BaseModel):
    """One check with its parameters; see `Check` and `row_check.RowCheck` for its two forms.

    A check is frozen data, total (it raises on no record) and pure (the same record gives the
    same verdict in any batch). Slices, selectors, negation and what holds without evidence are
    not its concern: `scope` applies them to all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_by_name=False)

    type_name: ClassVar[str]
    """The name in specs, tables and files of cases."""

    taxonomy: ClassVar[Taxonomy] = Taxonomy()

    refused_keys: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Parameters that others know and this type has not: what to say to whom gives one."""

    parts_key: ClassVar[str | None] = None
    """For a combination: the parameter that holds its parts."""

    subject: ClassVar[Subject] = Subject.ACTIVITY
    """What a pass rests on."""

    counts_matches: ClassVar[bool] = False
    """Whether its verdicts carry `MatchCounts`, whose sums stand in the summary."""

    allows_turn: ClassVar[bool] = True
    """Whether the wrapper key `turn` makes sense for the type."""

    @property
    def needs(self) -> frozenset[str]:
        """What `grade` reads, beyond what every check does: names of `trajectory.LEAVES`."""
        raise NotImplementedError

    @property
    def reads_events(self) -> bool:
        """Whether the check has nothing to go by on a record without a list of events."""
        return any(leaf.startswith("events.") for leaf in self.needs)

    @property
    def reads_output(self) -> bool:
        """Whether the check reads the final output, which may have to come from events."""
        return FINAL_OUTPUT in self.needs

    def subject_when(self, *, negate: bool) -> Subject:
        """What a pass rests on where the wrapper negates the check, or does not."""
        del negate
        return self.subject

    @property
    def passes_on_absence(self) -> bool:
        """Whether the check passes where nothing of what it looks for happened."""
        return False

    def listed_tools(self) -> Sequence[ListedTool]:
        """The tools that the check names, for the report of tools never seen."""
        return ()

    def warnings(self) -> Sequence[str]:
        """What `validate` says of parameters that are legal but rarely meant."""
        return ()

    def verdicts(self, batch: TrajectoryBatch) -> Verdicts:
        """Judge every trajectory of the batch."""
        raise NotImplementedError


class Check(BaseCheck):
    """A check that judges whole batches of columns; a subclass is a check type."""

    def grade(self, batch: TrajectoryBatch) -> Verdicts:
        """Judge every trajectory of the batch."""
        raise NotImplementedError

    def verdicts(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in BaseCheck)
        return self.grade(batch)
