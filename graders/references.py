"""Reference data: what the sample of each trajectory says that it should have come to.

The reference is a JSON object; a text that is none counts as unresolved, as does a path that
leads nowhere. The trials of a sample share their reference, so each distinct one is read once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, TypeVar

import numpy as np
from pydantic import AfterValidator, Field

from graders.arrays import Codes, to_codes
from graders.batch import TrajectoryBatch
from graders.values import INVALID, Json, Path, parse_json, parse_path, resolve

T = TypeVar("T")


def _check_path(path: str) -> str:
    parse_path(path)
    return path


ReferencePath = Annotated[
    str,
    AfterValidator(_check_path),
    Field(description='Where it stands in the sample\'s reference data: a.b[0], $.a, a["b.c"].'),
]
"""A parameter that names a place in the reference data."""


def resolve_references(
    batch: TrajectoryBatch, path: Path, read: Callable[[Json], T | None]
) -> tuple[list[T], Codes]:
    """What `read` makes of the value at `path`, each distinct reference once.

    Args:
        batch: the trajectories.
        path: where to look.
        read: turns the value (`INVALID` where the path leads nowhere) into what is wanted, or
            None where it does not do; a module-level function, since it is part of a key.

    Returns:
        The values, and per trajectory the number of its own, or -1 for none.
    """

    def find() -> tuple[list[T], Codes]:
        texts, codes = batch.memo("reference_texts", lambda: to_codes(batch.column("reference")))
        values: list[T] = []
        table = np.full(len(texts) + 1, -1, np.int32)
        for number, text in enumerate(texts):
            value = _read_at(text or "", path, read)
            if value is not None:
                table[number] = len(values)
                values.append(value)
        return values, table[codes]

    return batch.memo(("references", path, read), find)


@functools.lru_cache(maxsize=8192)
def _read_at(reference: str, path: Path, read: Callable[[Json], T | None]) -> T | None:
    data = parse_json(reference)
    return read(resolve(data, path) if isinstance(data, dict) else INVALID)


def non_empty_text(value: Json) -> str | None:
    """A text that is not empty; what text checks read."""
    return value if isinstance(value, str) and value else None


def any_value(value: Json) -> tuple[Json] | None:
    """Any JSON value, in a tuple so that null is one too; what value checks read."""
    return None if value is INVALID else (value,)
