"""A spec of any dialect written in the native one."""

from __future__ import annotations

import re
from typing import Any

import yaml

from graders.check import BaseCheck
from graders.scope import CheckEntry
from pipeline.specs.loaded import LoadedSpec

# What every reader of YAML takes for a text without quotes.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./ -]*[A-Za-z0-9_]|[A-Za-z_]")
_NOT_TEXT = re.compile(r"(?i:y|n|yes|no|on|off|true|false|null)")


def to_native(spec: LoadedSpec) -> str:
    """The spec as native YAML; loading it gives the same checks."""
    document: dict[str, Any] = {"version": 1}
    if spec.name is not None:
        document["name"] = spec.name
    if spec.dialect.threshold is not None:
        document["scoring"] = {"threshold": spec.dialect.threshold}
    document["checks"] = [_entry(entry) for entry in spec.entries]
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def _entry(entry: CheckEntry) -> dict[str, Any]:
    written: dict[str, Any] = {"type": entry.check_type}
    if entry.name is not None:
        written["name"] = entry.name
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
    is_plain = _PLAIN.fullmatch(text) and not _NOT_TEXT.fullmatch(text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')


_Dumper.add_multi_representer(str, _write_text)
