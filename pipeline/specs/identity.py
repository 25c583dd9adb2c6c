"""The identity of a check: what stays the same from one run to the next, so that verdicts can be paired."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from graders.check import BaseCheck
from graders.scope import CheckEntry


def check_identity(entry: CheckEntry) -> str:
    """The identity of an entry: `name:` and its name, else `sha256:` and a hash.

    The hash is that of type, turn, negate and config as canonical JSON: keys sorted, no blanks,
    and no parameter that has its default value, whether the spec writes it out or not.
    """
    if entry.name is not None:
        return f"name:{entry.name}"
    described = {**describe(entry.check), "turn": entry.turn, "negate": entry.negate}
    text = json.dumps(described, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def describe(check: BaseCheck) -> dict[str, Any]:
    """The type of a check and its config, without the parameters that have their default values."""
    config: dict[str, Any] = check.model_dump(
        by_alias=True, exclude_defaults=True, mode="json", exclude={check.parts_key or ""}
    )
    for name in check.model_fields_set:
        field = type(check).model_fields[name]
        if field.annotation is Any and getattr(check, name) is None:
            config[field.alias or name] = None  # A null that was asked for, not one left out.
    if check.parts_key is not None:
        config[check.parts_key] = [
            {**describe(part.check), "negate": part.negate} for part in getattr(check, check.parts_key)
        ]
    return {"type": check.type_name, "config": config}
