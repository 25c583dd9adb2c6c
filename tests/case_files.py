"""The case files `tests/cases/*.yaml`: one table of verdicts for the tests and the documentation.

A file is a list of cases. README.md describes the format; whatever departs from it is refused.
"""

from __future__ import annotations

import datetime
import functools
import json
import pathlib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from graders.judging.bench import Bench
from graders.judging.request import Judge, JudgeRequest
from graders.judging.vote import Reply, ReplyStatus
from graders.outcome import AbstainCode
from graders.trajectory import EventType
from pipeline.specs.yaml_reader import read_document
from tests.record_columns import Row

DIRECTORY = pathlib.Path(__file__).parent / "cases"

_KNOWN_TYPES = {kind.label for kind in EventType}
_CODES = {code.name for code in AbstainCode}
_JSON_COLUMNS = ("messages", "reference", "metadata")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class EventCase(_Strict):
    """An event as a case writes it: arguments and data may be mappings.

    Times are ISO texts, or microseconds since 1970 where Python has no such time.
    """

    type: str | None = None
    turn: int | None = None
    step: int | None = None
    content: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    arguments: str | dict[str, Any] | None = None
    is_error: bool | None = None
    name: str | None = None
    timestamp: str | int | None = None
    data: str | dict[str, Any] | None = None

    @model_validator(mode="after")
    def _has_a_type(self) -> EventCase:
        if self.type is not None and self.type not in _KNOWN_TYPES and not self.type.startswith("x-"):
            raise ValueError(f"unknown event type {self.type!r}; types of no meaning begin with x-")
        return self

    def row(self) -> Row:
        """The event as the record has it."""
        row: Row = self.model_dump(exclude_unset=True)
        for field in ("arguments", "data"):
            if isinstance(row.get(field), dict):
                row[field] = _compact(row[field])
        if isinstance(self.timestamp, str):
            row["timestamp"] = datetime.datetime.fromisoformat(self.timestamp)
        return row


class RecordCase(_Strict):
    """A trajectory as a case writes it; exactly one of events and messages is given."""

    trajectory_id: str | None = None
    sample_id: str | None = None
    trial: int | None = None
    model: str | None = None
    agent: str | None = None
    tags: dict[str, str] | None = None
    output: str | None = None
    events: list[EventCase | None] | None = None
    messages: Any = None
    reference: Any = None
    metrics: dict[str, int | float | None] | None = None
    end_reason: str | None = None
    error: str | None = None
    diff: str | None = None
    turn_diffs: list[dict[str, Any]] | None = None
    files: list[dict[str, str]] | None = None
    artifacts: dict[str, str] | None = None
    metadata: Any = None

    @model_validator(mode="after")
    def _has_one_layout(self) -> RecordCase:
        if len({"events", "messages"} & self.model_fields_set) != 1:
            raise ValueError("exactly one of events and messages is written")
        return self

    def row(self, trajectory_id: str, sample_id: str) -> Row:
        """The record as a row; the ids are those that it does not give itself."""
        row: Row = {"trajectory_id": trajectory_id, "sample_id": sample_id}
        row |= self.model_dump(exclude_unset=True, exclude={"events"})
        if "events" in self.model_fields_set:
            events = self.events
            row["events"] = None if events is None else [None if e is None else e.row() for e in events]
        for column in _JSON_COLUMNS:
            if column in row and row[column] is not None and not isinstance(row[column], str):
                row[column] = _compact(row[column])
        return row


class Expectation(_Strict):
    """What the verdict on one record is; keys that are not given are not compared."""

    outcome: Literal["pass", "fail", "abstain", "none"]
    code: str | None = None
    evidence: str | None = None
    event_index: int | None = None
    score: float | None = None

    @model_validator(mode="after")
    def _has_a_code_only_to_abstain(self) -> Expectation:
        if (self.outcome == "abstain") != (self.code is not None):
            raise ValueError("an abstention has a code, and nothing else has")
        if self.code is not None and self.code not in _CODES:
            raise ValueError(f"unknown code {self.code!r}")
        return self

    @property
    def fields(self) -> dict[str, Any]:
        """The given keys but evidence, which is compared as a part."""
        return {key: getattr(self, key) for key in self.model_fields_set - {"evidence"}}


class RepliesByName(dict[str, Reply]):
    """What each judge of a case replies to whatever it is asked."""

    def find(self, request: JudgeRequest) -> Reply | None:
        return self.get(request.judge.name)


JUDGES = tuple(Judge(name, f"model-of-{name}") for name in ("judge", "alpha", "beta", "gamma"))


class Case(_Strict):
    """One check on one or several records, and what it says of each."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
    why: Annotated[str, Field(min_length=10, pattern=r"\.$")]
    record: RecordCase | None = None
    records: Annotated[list[RecordCase], Field(min_length=2)] | None = None
    replies: dict[Literal["judge", "alpha", "beta", "gamma"], str | dict[ReplyStatus, str]] | None = None
    check: dict[str, Any]
    expect: Expectation | list[Expectation]

    @field_validator("replies", mode="before")
    @classmethod
    def _read_statuses(cls, replies: Any) -> Any:
        if not isinstance(replies, dict):
            return replies
        return {
            name: {ReplyStatus(status): text for status, text in reply.items()}
            if isinstance(reply, dict)
            else reply
            for name, reply in replies.items()
        }

    @model_validator(mode="after")
    def _expects_as_much_as_it_records(self) -> Case:
        if (self.record is None) == (self.records is None):
            raise ValueError("exactly one of record and records is given")
        if isinstance(self.expect, list) != (self.records is not None):
            raise ValueError("records go with a list of expectations, a record with one")
        if self.records is not None and len(self.records) != len(self.expectations):
            raise ValueError(f"{len(self.records)} records, but {len(self.expectations)} expectations")
        if not isinstance(self.check.get("type"), str):
            raise ValueError("a check has a type")
        return self

    @property
    def given_replies(self) -> RepliesByName:
        """What each judge replies; those that are not given cannot be reached."""
        return RepliesByName(
            {
                name: Reply(ReplyStatus.ANSWERED, reply)
                if isinstance(reply, str)
                else Reply(*next(iter(reply.items())))
                for name, reply in (self.replies or {}).items()
            }
        )

    @property
    def bench(self) -> Bench | None:
        """The judges; None where the case has no replies."""
        return None if self.replies is None else Bench(JUDGES, self.given_replies)

    @property
    def check_type(self) -> str:
        """The type of the check."""
        return self.check["type"]

    @property
    def expectations(self) -> list[Expectation]:
        """One per record."""
        return self.expect if isinstance(self.expect, list) else [self.expect]

    @property
    def is_in_events(self) -> bool:
        """Whether all records are written as events."""
        records = self.records or [self.record]
        return all("events" in record.model_fields_set for record in records if record)

    def rows(self) -> list[Row]:
        """The records as rows, with ids made of the name."""
        if self.record is not None:
            return [self.record.row(self.name, self.name)]
        return [
            record.row(f"{self.name}--{number}", self.name)
            for number, record in enumerate(self.records or [])
        ]

    def entry(self) -> dict[str, Any]:
        """The native spec entry, under the name of the case and for its own samples only."""
        ids = sorted({row["sample_id"] or row["trajectory_id"] for row in self.rows()})
        return {"name": self.name, "samples": ids, **self.check}


def read_cases(path: pathlib.Path) -> list[Case]:
    """The cases of one file.

    Raises:
        InvalidError: it is not strict YAML.
        ValueError: it is no list of cases; the message names the first wrong one.
    """
    document = read_document(path.name, path.read_bytes())
    if not isinstance(document.value, list):
        raise ValueError(f"{path.name}: a list of cases was expected")
    cases: list[Case] = []
    for number, item in enumerate(document.value):
        try:
            cases.append(Case.model_validate(item))
        except ValueError as error:
            line = document.lines[(number,)]
            raise ValueError(f"{path.name}:{line}: {error}") from error
    return cases


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """The cases of all files, in the order of the files' names."""
    return tuple(case for path in sorted(DIRECTORY.glob("*.yaml")) for case in read_cases(path))


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
