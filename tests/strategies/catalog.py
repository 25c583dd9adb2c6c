"""The strategies by check type: one module below `tests.strategies.checks` for each."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.strategies import checks


@dataclasses.dataclass(frozen=True)
class CheckStrategy:
    """What is generated for a check type.

    Attributes:
        check_type: its name.
        configs: its parameters.
        examples: hand-made parameters, which the edge corpus is graded by.
        columns: columns of the record that it reads, beyond those of `records.rows`; events in addition.
        allows_turn: whether it may be scoped to a turn; where that depends on the config, a function of it.
    """

    check_type: str
    configs: st.SearchStrategy[dict[str, Any]]
    examples: Sequence[dict[str, Any]]
    columns: Mapping[str, st.SearchStrategy[Any]] = dataclasses.field(default_factory=dict)
    allows_turn: bool | Callable[[dict[str, Any]], bool] = True

    def may_see_a_turn(self, config: dict[str, Any]) -> bool:
        """Whether an entry with this config may have the wrapper key `turn`."""
        return self.allows_turn if isinstance(self.allows_turn, bool) else self.allows_turn(config)


@functools.cache
def check_strategies() -> dict[str, CheckStrategy]:
    """Every strategy by the name of its type; each module says `STRATEGY`."""
    found: dict[str, CheckStrategy] = {}
    for info in pkgutil.iter_modules(checks.__path__):
        strategy = importlib.import_module(f"{checks.__name__}.{info.name}").STRATEGY
        if found.setdefault(strategy.check_type, strategy) is not strategy:
            raise ValueError(f"two strategies of {strategy.check_type}")
    return found
