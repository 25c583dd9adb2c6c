"""JSON Schemas of native specs, made from the models that read them, for editors."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from graders.catalog import check_types
from graders.check import BaseCheck
from pipeline.gates import Gate
from pipeline.specs.entries import PartEntry, Wrapper
from pipeline.specs.native import Spec

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def spec_schema() -> dict[str, Any]:
    """The JSON Schema of a native spec, with one alternative per check type."""
    definitions: dict[str, Any] = {}
    types = check_types()
    schema = Spec.model_json_schema()
    definitions.update(schema.pop("$defs", {}))
    for name, check_type in types.items():
        definitions[f"config of {name}"] = _config_schema(check_type, definitions)
    definitions["check"] = _entry_schema(Wrapper, types, definitions)
    definitions["part"] = _entry_schema(PartEntry, types, definitions)
    for key in ("checks", "graders"):
        schema["properties"][key] = {
            "description": schema["properties"][key]["description"],
            "type": "array",
            "minItems": 1,
            "items": {"$ref": "#/$defs/check"},
        }
    gate = Gate.model_json_schema()
    definitions.update(gate.pop("$defs", {}))
    definitions["gate"] = gate
    schema["properties"]["gates"]["items"] = {"$ref": "#/$defs/gate"}
    schema["oneOf"] = [{"required": ["checks"]}, {"required": ["graders"]}]
    _refuse_null(schema)
    _refuse_null(definitions)
    return {
        "$schema": _DRAFT,
        **schema,
        "title": "gradebeam spec",
        "$defs": dict(sorted(definitions.items())),
    }


def _refuse_null(schema: Any) -> None:
    """Take null from the fields that have it for their default: a key that is given has a value."""
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        if isinstance(value, dict) and "anyOf" in value and value.get("default", 0) is None:
            kept = [option for option in value["anyOf"] if option != {"type": "null"}]
            value.pop("default")
            if len(kept) == 1:
                value.pop("anyOf")
                value.update({**kept[0], **value})
            else:
                value["anyOf"] = kept
        _refuse_null(value)


def _config_schema(check_type: type[BaseCheck], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type's config; what it refers to is added to the definitions."""
    schema = check_type.model_json_schema(by_alias=True)
    if check_type.parts_key is not None:
        schema["properties"][check_type.parts_key]["items"] = {"$ref": "#/$defs/part"}
        schema.pop("$defs", None)
    definitions.update(schema.pop("$defs", {}))
    return schema


def _entry_schema(
    model: type[Wrapper | PartEntry], types: Mapping[str, type[BaseCheck]], definitions: dict[str, Any]
) -> dict[str, Any]:
    """The schema of the keys around a check: those of the model, with the config of the type."""
    base = model.model_json_schema()
    definitions.update(base.pop("$defs", {}))
    alternatives: list[dict[str, Any]] = []
    for name, check_type in types.items():
        properties = copy.deepcopy(base["properties"])
        properties["type"] = {"const": name, "description": summary(check_type)}
        properties["config"] = {"$ref": f"#/$defs/config of {name}"}
        needs_config = bool(definitions[f"config of {name}"].get("required"))
        alternatives.append(
            {
                "type": "object",
                "title": name,
                "properties": properties,
                "required": ["type", "config"] if needs_config else ["type"],
                "additionalProperties": False,
            }
        )
    return {"oneOf": alternatives}


def summary(check_type: type[BaseCheck]) -> str:
    """What a check type passes on, in one line."""
    return next(iter((check_type.__doc__ or "").strip().splitlines()), "")
