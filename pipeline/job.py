"""The job: everything that a run is told, from a YAML file and the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
)

from graders.arrays import replace_surrogates
from graders.slices import COLUMNS as SLICE_COLUMNS
from graders.slices import SliceKey, parse_slice_key, unknown_parts
from pipeline import files
from pipeline.errors import InvalidError, Problem, invalid, nearest
from pipeline.gates import BoundGate, Gate, Gateable, UnboundGateError, bind_gate
from pipeline.judges.config import JudgesConfig
from pipeline.sources.records import KNOWN_COLUMNS, ColumnMap
from pipeline.specs.explain import expectation, explain
from pipeline.specs.loaded import LoadedSpec
from pipeline.specs.yaml_reader import read_document

Format = Literal["parquet", "csv", "avro", "json"]
FORMATS: tuple[Format, ...] = ("parquet", "csv", "avro", "json")
MOST_WORKERS = 512


def _is_slice(text: str) -> str:
    if replace_surrogates(text) != text:
        raise ValueError("the slice is not Unicode text")
    if unknown := unknown_parts(parse_slice_key(text)):
        known = (*SLICE_COLUMNS, "tags.<key>")
        raise ValueError(
            f"{unknown[0]!r} is nothing to slice by{nearest(unknown[0], known)}; known: {', '.join(known)}"
        )
    return text


def _allow_less(schema: dict[str, Any]) -> None:
    """Let the JSON Schema of a job file take one text for a list, and leave to flags what it lacks."""
    for name in _PLACEHOLDERS:
        field = schema["properties"][name]
        if field["type"] == "array":
            options = [
                {"type": "string", "minLength": 1},
                {k: v for k, v in field.items() if k != "description"},
            ]
            schema["properties"][name] = {"description": field["description"], "anyOf": options}
    del schema["required"]


class JobConfig(BaseModel):
    """What to grade, by which spec, and where to.

    A job file holds the same keys; a flag of the command line wins over the file.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, json_schema_extra=_allow_less)

    spec: list[str] = Field(min_length=1, description="The spec files; their spec indexes continue.")
    parameters: dict[str, str] = Field({}, description="Values of the parameters of Vally evals.")
    input: list[str] = Field(min_length=1, description="Files, directories or globs to grade.")
    output: str = Field(
        min_length=1, description="The directory of the outputs; {run_id} in it stands for the id of the run."
    )
    run_id: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        max_length=100,
        description="The id of the run, by which another attempt replaces it; null: a new one.",
    )
    columns: dict[str, str] = Field(
        {}, description="Column of the record: column of the files, where they differ."
    )
    formats: list[Format] = Field(list(FORMATS), min_length=1, description="Formats of the summary.")
    slices: list[Annotated[str, AfterValidator(_is_slice)]] = Field(
        [], description="What the tables are sliced by: a column, tags.<key>, or two joined by * or ×."
    )
    max_slice_values: int = Field(
        1000, ge=1, le=100_000, description="How many values of a slice are kept apart."
    )
    bootstrap: int = Field(
        0, ge=0, le=10_000, description="Replicates of the bootstrap; 0 for no bootstrap intervals."
    )
    overwrite: bool = Field(False, description="Whether to replace a finished run.")
    max_quarantined: float = Field(
        0.001, ge=0, le=1, description="Largest share of rows that may be unreadable."
    )
    report: bool = Field(True, description="Whether to write report.html.")
    metrics_file: str | None = Field(
        None, min_length=1, description="A local file for the metrics of the run, as Prometheus reads them."
    )
    workers: int | None = Field(
        None, ge=1, le=MOST_WORKERS, description="Local worker processes; null: by size."
    )
    judges: JudgesConfig = Field(
        JudgesConfig.model_validate({}), description="Who judges what a model decides."
    )
    runner: dict[str, Any] = Field({}, description="Options of the runner, by their own names.")
    allow_runner: str | None = Field(None, description="A runner to use though it is untested.")
    baseline: str | None = Field(None, min_length=1, description="Output directory of a run to compare with.")
    gates: list[Gate] = Field([], description="What the run must meet, beside the gates of its specs.")

    _gate_places: tuple[str, ...] = PrivateAttr(())

    @field_validator("spec", "input", "slices", mode="before")
    @classmethod
    def _read_one(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    def bound_gates(self, specs: Sequence[LoadedSpec], checks: Sequence[Gateable]) -> list[BoundGate]:
        """The gates of the specs, and then those of the job, each with its checks.

        Args:
            specs: the specs of the job, whose gates are bound already.
            checks: the checks of the run.

        Raises:
            InvalidError: gates are for checks that are not there; all of them are named.
        """
        bound = [gate for spec in specs for gate in spec.dialect.gates]
        problems: list[Problem] = []
        for number, (gate, place) in enumerate(zip(self.gates, self._gate_places, strict=True)):
            try:
                bound.append(bind_gate(gate, place, checks))
            except UnboundGateError as error:
                problems.append(Problem(place, f"gates[{number}].{error.key}", str(error)))
        if problems:
            raise InvalidError(problems)
        return bound

    @property
    def column_map(self) -> ColumnMap:
        """The columns of the files."""
        return ColumnMap.of(self.columns)

    @property
    def judge_cache(self) -> str:
        """The directory of judges' replies."""
        beside = self.output.rstrip("/").rpartition("/")[0] or "."
        return self.judges.cache or files.join(beside, "judge-cache")

    @property
    def slice_keys(self) -> tuple[SliceKey, ...]:
        """What the tables are sliced by, each once."""
        return tuple(dict.fromkeys(parse_slice_key(text) for text in self.slices))


def load_job(file: str | None, flags: dict[str, Any]) -> JobConfig:
    """A job from a file (or none) and the flags that were given.

    Raises:
        InvalidError: the file or the flags hold mistakes; all of them are named.
    """
    values: dict[str, Any] = {}
    places: list[str] = []
    if file is not None:
        document = read_document(file, files.read_bytes(file, "job"))
        if not isinstance(document.value, dict):
            raise InvalidError([document.problem((), "a job is a mapping")])
        values = document.value
        try:
            JobConfig.model_validate({**_PLACEHOLDERS, **values})
        except ValidationError as error:
            raise InvalidError(explain(error, document, (), JobConfig)) from error
        places = [document.problem(("gates", at), "").where for at in range(len(values.get("gates", [])))]
    if isinstance(values.get("judges"), dict) and "judges" in flags:
        flags = {**flags, "judges": {**values["judges"], **flags["judges"]}}
    values = {**values, **flags}
    missing = [name for name in _PLACEHOLDERS if name not in values]
    if missing:
        message = "is missing; give the flag, or a --job that holds it"
        raise InvalidError([Problem(_flag((name,)), "", message) for name in missing])
    try:
        job = JobConfig.model_validate(values)
    except ValidationError as error:  # What the file holds is good, so it is what the flags say.
        raise InvalidError(list(map(_flag_problem, error.errors(include_url=False)))) from error
    check_columns(job.columns)
    job._gate_places = tuple(places)  # noqa: SLF001  (no key of the file)
    return job


def _flag_problem(item: Any) -> Problem:
    """What is wrong with a flag, by an error as pydantic lists it."""
    value = item.get("input")
    given = f" {shlex.quote(str(value))}" if isinstance(value, (str, int, float)) else ""
    return Problem(f"{_flag(item['loc'])}{given}", "", expectation(item))


def _flag(place: Sequence[str | int]) -> str:
    """The flag that sets a field of the job."""
    name, *inner = (step for step in place if isinstance(step, str))
    if name == "judges":
        name = "_".join(["judge", *(step for step in inner if step != "mode")])
    return f"--{_FLAGS.get(name, name).replace('_', '-')}"


def check_columns(columns: Mapping[str, str]) -> None:
    """See that a mapping of columns names columns of the record.

    Raises:
        InvalidError: one is none.
    """
    for name in columns:
        if name not in KNOWN_COLUMNS:
            raise invalid(f"--columns {name}", f"not a column of the record{nearest(name, KNOWN_COLUMNS)}")


_FLAGS = {"slices": "slice", "parameters": "param"}
"""Fields of the job whose flags have other names."""

_PLACEHOLDERS: dict[str, Any] = {"spec": ["-"], "input": ["-"], "output": "-"}


def parse_columns(text: str) -> dict[str, str]:
    """The mapping of `--columns name=column,…`.

    Raises:
        InvalidError: a part is not of that form, or a name stands twice.
    """
    mapping: dict[str, str] = {}
    for part in text.split(","):
        name, equals, column = part.partition("=")
        if not equals or not name.strip() or not column.strip():
            raise invalid(f"--columns {part!r}", "expected name=column, several joined by commas")
        if name.strip() in mapping:
            raise invalid(f"--columns {part!r}", f"{name.strip()} is mapped twice")
        mapping[name.strip()] = column.strip()
    return mapping
