"""Keys that are given without a value, where the model would take that for a key left out."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pipeline.specs.rules import Loc, models_in


def empty_keys(model: type[BaseModel], value: Any) -> Iterator[Loc]:
    """The locations of keys without a value, in a value for a model and for the models in it."""
    if not isinstance(value, dict):
        return
    for key, may_be_left_out, inner in _keys(model):
        if key not in value:
            continue
        item = value[key]
        if item is None and may_be_left_out:
            yield (key,)
        elif inner is not None and isinstance(item, list):
            for number, element in enumerate(item):
                yield from ((key, number, *rest) for rest in empty_keys(inner, element))
        elif inner is not None:
            yield from ((key, *rest) for rest in empty_keys(inner, item))


@functools.cache
def _keys(model: type[BaseModel]) -> list[tuple[str, bool, type[BaseModel] | None]]:
    return [
        (field.alias or name, _may_be_left_out(field), next(models_in(field.annotation), None))
        for name, field in model.model_fields.items()
    ]


def _may_be_left_out(field: FieldInfo) -> bool:
    return not field.is_required() and field.default is None and field.annotation is not Any
