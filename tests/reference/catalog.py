"""The twins by check type: one module below `tests.reference.checks` for each."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from tests.reference import checks
from tests.reference.judgement import Twin


@functools.cache
def twins() -> dict[str, Twin]:
    """Every twin by the name of its type; each module says `TYPE` and `TWIN`."""
    found: dict[str, Twin] = {}
    for info in pkgutil.iter_modules(checks.__path__):
        module = importlib.import_module(f"{checks.__name__}.{info.name}")
        if found.setdefault(module.TYPE, module.TWIN) is not module.TWIN:
            raise ValueError(f"two twins of {module.TYPE}")
    return found
