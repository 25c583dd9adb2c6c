"""The catalogue: every check type there is, ours in `graders.checks` and those of plugins."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Iterator, Mapping

from graders import checks
from graders.check import BaseCheck

PLUGINS = "gradebeam.checks"
"""The entry-point group under which an installed package registers check classes."""


class CatalogError(Exception):
    """A module or plugin does not define exactly one check type of a name of its own."""


@functools.cache
def check_types() -> Mapping[str, type[BaseCheck]]:
    """All check types by name, sorted.

    Raises:
        CatalogError: a module defines no type or several, a plugin cannot be loaded or is no check,
            or two types share a name.
    """
    found: dict[str, type[BaseCheck]] = {}
    for check_type in (*_own_types(), *_plugin_types()):
        name = check_type.type_name
        if name in found:
            both = f"{found[name].__module__} and {check_type.__module__}"
            raise CatalogError(f"the check type {name!r} is defined twice, by {both}")
        found[name] = check_type
    return dict(sorted(found.items(), key=lambda item: item[0].casefold()))


def _own_types() -> Iterator[type[BaseCheck]]:
    for module_info in pkgutil.iter_modules(checks.__path__):
        module = importlib.import_module(f"{checks.__name__}.{module_info.name}")
        defined = [
            item
            for item in vars(module).values()
            if isinstance(item, type) and issubclass(item, BaseCheck) and item.__module__ == module.__name__
        ]
        if len(defined) != 1:
            raise CatalogError(f"{module.__name__} defines {len(defined)} check types, not one")
        yield defined[0]


def _plugin_types() -> Iterator[type[BaseCheck]]:
    for entry_point in importlib.metadata.entry_points(group=PLUGINS):
        origin = f"the plugin {entry_point.name} ({entry_point.value})"
        try:
            loaded = entry_point.load()
        except Exception as error:
            raise CatalogError(f"{origin} cannot be loaded: {type(error).__name__}: {error}") from error
        is_check = isinstance(loaded, type) and issubclass(loaded, BaseCheck)
        if not is_check or not isinstance(getattr(loaded, "type_name", None), str):
            raise CatalogError(f"{origin} is not a check class with a type_name")
        yield loaded
