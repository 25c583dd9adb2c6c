"""A spec that is good, whatever its dialect."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping

from graders.scope import CheckEntry
from pipeline.gates import BoundGate


@dataclasses.dataclass(frozen=True)
class Dialect:
    """What a dialect makes of a document.

    Attributes:
        name: native, vally or guild.
        entries: the checks, in order; spec_index is the position.
        threshold: the score from which a trajectory passes, or None for "all gating checks pass".
        references: reference data by sample id, as JSON text, for records that have none.
        description: what the author says that it is for.
        ignored: paths in the document that only concern running agents.
        warnings: what the document says that is probably not meant.
        places: of each entry its line and path in the document, as `file:line: path`.
        gates: what a run must meet, as far as the entries tell.
    """

    name: str
    entries: tuple[CheckEntry, ...]
    threshold: float | None = None
    references: Mapping[str, str] = dataclasses.field(default_factory=dict)
    description: str | None = None
    ignored: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    gates: tuple[BoundGate, ...] = ()


@dataclasses.dataclass(frozen=True)
class LoadedSpec:
    """A spec file that is good.

    Attributes:
        file: its path as given.
        name: its name, or None.
        text: its text.
        dialect: what it says.
    """

    file: str
    name: str | None
    text: str
    dialect: Dialect

    @property
    def entries(self) -> tuple[CheckEntry, ...]:
        """The checks, in order."""
        return self.dialect.entries

    @property
    def sha256(self) -> str:
        """The hash of the text, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def entries_of(specs: Iterable[LoadedSpec]) -> list[CheckEntry]:
    """The checks of all specs, in order; spec_index is the position."""
    return [entry for spec in specs for entry in spec.entries]


def references_of(specs: Iterable[LoadedSpec]) -> dict[str, str]:
    """The reference data of all specs by sample id, as JSON text; of two for one sample the last."""
    return {sample: text for spec in specs for sample, text in spec.dialect.references.items()}
