"""Spec files to one flat list of check entries."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence

from graders.scope import CheckEntry
from pipeline import files
from pipeline.errors import InvalidError, Problem, invalid
from pipeline.specs.native import load_native
from pipeline.specs.yaml_reader import Document, read_document


@dataclasses.dataclass(frozen=True)
class LoadedSpec:
    """A spec that is good.

    Attributes:
        file: its path as given.
        name: its name, or None.
        text: its text.
        entries: its checks, in order; spec_index is the position.
    """

    file: str
    name: str | None
    text: str
    entries: tuple[CheckEntry, ...]

    @property
    def sha256(self) -> str:
        """The hash of the text, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def load_spec(path: str) -> LoadedSpec:
    """Read one spec file, local or on any file system that Beam knows.

    Raises:
        InvalidError: the file cannot be read, or holds mistakes; all of them are named.
    """
    document = read_document(path, files.read_bytes(path, "spec"))
    entries = tuple(_load(document))
    return LoadedSpec(path, document.value.get("name"), document.text, entries)


def _load(document: Document) -> Sequence[CheckEntry]:
    if isinstance(document.value, dict) and "version" not in document.value:
        if "stimuli" in document.value:
            raise invalid(document.file, "the Vally dialect (stimuli) is not supported yet")
        raise InvalidError(
            [
                *_native_problems(document),
                document.problem((), "a native spec begins with the key version: 1"),
            ]
        )
    return load_native(document)


def _native_problems(document: Document) -> Sequence[Problem]:
    """What else is wrong with a document that lacks its version."""
    probe = dataclasses.replace(document, value={"version": 1, **document.value})
    try:
        load_native(probe)
    except InvalidError as error:
        return error.problems
    return ()


def spec_warnings(spec: LoadedSpec) -> list[str]:
    """What `validate` warns of: legal, but rarely meant."""
    return [
        f"checks[{entry.spec_index}]{f' ({entry.name})' if entry.name else ''} {entry.check_type}: {warning}"
        for entry in spec.entries
        for warning in entry.check.warnings()
    ]
