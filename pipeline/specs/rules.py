"""Rules between the keys of a model, judged even where single keys are wrong.

Pydantic asks a model's own validators only once every field is good. A spec is reported on as a whole,
so here they are asked again, of the same value with what is wrong in it taken as it stands.
"""

from __future__ import annotations

import difflib
import functools
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, Field, ValidationError, create_model

Loc = tuple[str | int, ...]


def broken_rules(model: type[BaseModel], value: Any, error: ValidationError) -> Iterator[tuple[Loc, str]]:
    """What the rules of a model, and of the models in it, say beyond an error of single keys.

    Args:
        model: the model.
        value: what it refused.
        error: why.

    Yields:
        the location of a model in the value, and what its rule says.
    """
    items = error.errors(include_url=False, include_context=False)
    judged = {item["loc"] for item in items if item["type"] == "value_error"}
    wrong: dict[Loc, tuple[type[BaseModel], set[str]]] = {}
    for item in items:
        for loc, inner in models_along(model, item["loc"]):
            key = item["loc"][len(loc)]
            wrong.setdefault(loc, (inner, set()))[1].add(str(key))
    for loc, (inner, keys) in wrong.items():
        part = _at(value, loc)
        is_elsewhere = bool(keys & set(getattr(inner, "refused_keys", ())))  # What is wrong has been told.
        if loc not in judged and not is_elsewhere and isinstance(part, Mapping):
            message = _broken_rule(inner, part, keys)
            if message is not None:
                yield loc, message


def models_along(model: type[BaseModel], loc: Loc) -> Iterator[tuple[Loc, type[BaseModel]]]:
    """The models around a pydantic location, outermost first, with where each stands."""
    current: type[BaseModel] | None = model
    for n, step in enumerate(loc):
        if isinstance(step, int):
            continue
        if current is None:
            return
        yield loc[:n], current
        field = next((f for name, f in current.model_fields.items() if (f.alias or name) == step), None)
        current = None if field is None else next(models_in(field.annotation), None)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that a field with this annotation may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from models_in(argument)


def _at(value: Any, loc: Loc) -> Any:
    for step in loc:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _broken_rule(model: type[BaseModel], value: Mapping[str, Any], wrong: set[str]) -> str | None:
    """What the rule of a model says of a value some of whose keys are wrong, if it can be judged at all."""
    known = {field.alias or name for name, field in model.model_fields.items()}
    kept = {key: item for key, item in value.items() if key in known}
    for key in wrong - known:  # A key that is misspelt stands for the one that was meant.
        for meant in difflib.get_close_matches(key, known - kept.keys(), n=1):
            kept[meant] = value.get(key)
    loose = frozenset(key for key in known if key in wrong or (key in kept and key not in value))
    try:
        _loosened(model, loose).model_validate(kept)
    except ValidationError as error:
        own = (item for item in error.errors(include_url=False) if not item["loc"])
        return next(
            (str(item["ctx"]["error"]) for item in own if "ctx" in item and "error" in item["ctx"]), None
        )
    except Exception:  # noqa: BLE001  (a rule that compares what cannot be compared has nothing to say)
        return None
    return None


@functools.lru_cache(maxsize=256)
def _loosened(model: type[BaseModel], keys: frozenset[str]) -> type[BaseModel]:
    """The model, with anything allowed at some keys."""
    fields: dict[str, Any] = {
        name: (Any, Field(None, alias=field.alias))
        for name, field in model.model_fields.items()
        if (field.alias or name) in keys
    }
    return create_model(f"{model.__name__}Loosened", __base__=model, **fields)
