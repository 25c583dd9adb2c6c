"""A spec of any dialect written in the native one."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Sequence
from typing import Any

import yaml

from graders.check import BaseCheck
from graders.scope import CheckEntry
from pipeline.specs.loaded import LoadedSpec

# What every reader of YAML takes for a text without quotes.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./ -]*[A-Za-z0-9_]|[A-Za-z_]")
_NOT_TEXT = re.compile(r"(?i:y|n|yes|no|on|off|true|false|null)")


@dataclasses.dataclass(frozen=True)
class Converted:
    """A spec in the native dialect.

    Attributes:
        text: its YAML; loading it gives the same checks, references and scoring.
        notes: what is not the same, a sentence each.
    """

    text: str
    notes: tuple[str, ...]


def to_native(spec: LoadedSpec) -> Converted:
    """The spec in the native dialect, which grades alike."""
    dialect = spec.dialect
    document: dict[str, Any] = {"version": 1}
    if spec.name is not None:
        document["name"] = spec.name
    if dialect.description is not None:
        document["description"] = dialect.description
    if dialect.threshold is not None:
        document["scoring"] = {"threshold": dialect.threshold}
    if dialect.references:
        document["samples"] = [
            {"name": sample, "reference": json.loads(text)} for sample, text in dialect.references.items()
        ]
    if dialect.gates:
        document["gates"] = [
            bound.gate.model_dump(exclude_unset=True, mode="json") for bound in dialect.gates
        ]
    names, notes = _unique_names(spec.entries)
    document["checks"] = [_entry(entry, name) for entry, name in zip(spec.entries, names, strict=True)]
    text = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    notes += [f"not carried, only concerns running agents: {path}" for path in dialect.ignored]
    return Converted(text, tuple(notes))


def _unique_names(entries: Sequence[CheckEntry]) -> tuple[list[str | None], list[str]]:
    """Names for native checks: graders of different stimuli may share one, checks may not."""
    taken = {entry.name for entry in entries}
    used: set[str | None] = set()
    names: list[str | None] = []
    notes: list[str] = []
    for number, entry in enumerate(entries):
        name = entry.name
        if name is not None and name in used:
            name = next(new for n in itertools.count(2) if (new := f"{entry.name} ({n})") not in taken)
            taken.add(name)
            notes.append(f"checks[{number}] is named {name!r}: another check is named {entry.name!r}")
        used.add(name)
        names.append(name)
    return names, notes


def _entry(entry: CheckEntry, name: str | None) -> dict[str, Any]:
    written: dict[str, Any] = {"type": entry.check_type}
    if name is not None:
        written["name"] = name
    if entry.turn is not None:
        written["turn"] = entry.turn
    if entry.samples:
        written["samples"] = list(entry.samples)
    if entry.tags:
        written["tags"] = dict(entry.tags)
    if entry.negate:
        written["negate"] = True
    if entry.advisory:
        written["advisory"] = True
    if entry.weight != 1:
        written["weight"] = entry.weight
    if config := _config(entry.check):
        written["config"] = config
    return written


def _config(check: BaseCheck) -> dict[str, Any]:
    if check.parts_key is None:
        return check.model_dump(by_alias=True, exclude_unset=True, mode="json")
    config = check.model_dump(by_alias=True, exclude_unset=True, mode="json", exclude={check.parts_key})
    parts: list[dict[str, Any]] = []
    for part in getattr(check, check.parts_key):
        written: dict[str, Any] = {"type": part.check.type_name}
        if part.negate:
            written["negate"] = True
        if inner := _config(part.check):
            written["config"] = inner
        parts.append(written)
    return {**config, check.parts_key: parts}


class _Dumper(yaml.SafeDumper):
    """Quotes every text that some reader of YAML would take for something else."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """As plainly as every reader takes it for the same text: bare, in single quotes, as a block, escaped."""
    lines = text.split("\n")
    is_printable = all(line.isprintable() and line.strip() == line for line in lines)
    if _PLAIN.fullmatch(text) and not _NOT_TEXT.fullmatch(text):
        style = None
    elif not is_printable or not lines[0]:
        style = '"'
    else:
        style = "'" if len(lines) == 1 else "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _write_text)
_Dumper.add_multi_representer(str, _write_text)  # Patterns are texts of a class of their own.
