"""The catalogue: every check type there is, found by walking `graders.checks`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from graders import checks
from graders.check import BaseCheck


class CatalogError(Exception):
    """The package of checks breaks its own rule: one type per module, one module per type."""


@functools.cache
def check_types() -> Mapping[str, type[BaseCheck]]:
    """All check types by name, sorted.

    Raises:
        CatalogError: a module defines no type or several, or two share a name.
    """
    found: dict[str, type[BaseCheck]] = {}
    for module_info in pkgutil.iter_modules(checks.__path__):
        module = importlib.import_module(f"{checks.__name__}.{module_info.name}")
        defined = [
            item
            for item in vars(module).values()
            if isinstance(item, type) and issubclass(item, BaseCheck) and item.__module__ == module.__name__
        ]
        if len(defined) != 1:
            raise CatalogError(f"{module.__name__} defines {len(defined)} check types, not one")
        name = defined[0].type_name
        if name in found:
            raise CatalogError(f"{name!r} is defined by {found[name].__module__} and {module.__name__}")
        found[name] = defined[0]
    return dict(sorted(found.items(), key=lambda item: item[0].casefold()))
