"""token-budget: the run used at most so many tokens.

Passes when the tokens are at most max: the recorded total, else input and output tokens together,
else the sum over the token_usage events. In a turn slice only its token_usage events count.
Fails when they are more.
Abstains with MISSING_DATA when they are unknown: not recorded, negative, all zero beside agent
activity, or with one unknown event in the sum.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from graders.arrays import to_texts
from graders.batch import TrajectoryBatch
from graders.families.budgets import CountBudget, Usage
from graders.trajectory import EventType
from graders.values import parse_json

_SPELLINGS = (("inputTokens", "outputTokens"), ("input_tokens", "output_tokens"))


class TokenBudget(CountBudget):
    """Pass when the run used at most so many tokens."""

    type_name: ClassVar[str] = "token-budget"
    noun: ClassVar[str] = "tokens"

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"metrics", "events.data"})

    @property
    def reads_events(self) -> bool:  # noqa: D102
        return False  # Recorded metrics will do.

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        totals = _from_events(batch)
        if not batch.is_slice:
            columns = [
                batch.struct_field("metrics", name).to_pylist()
                for name in ("total_tokens", "input_tokens", "output_tokens")
            ]
            for row, (total, given, made) in enumerate(zip(*columns, strict=True)):
                if total is not None:
                    totals[row] = total if min(total, given or 0, made or 0) >= 0 else None
                elif given is not None and made is not None:
                    totals[row] = given + made if min(given, made) >= 0 else None
        active = batch.has_activity().tolist()
        is_known = [
            total is not None and not (total == 0 and busy)
            for total, busy in zip(totals, active, strict=True)
        ]
        return [total or 0 for total in totals], np.array(is_known, np.bool_)


def _from_events(batch: TrajectoryBatch) -> list[int | None]:
    """The sum of each trajectory's token_usage events; None without any or with an unknown one."""
    totals: list[int | None] = [None] * len(batch)
    events = batch.select(EventType.TOKEN_USAGE)
    unknown: set[int] = set()
    for row, text in zip(events.row.tolist(), to_texts(events.text("data").array), strict=True):
        used = _used(parse_json(text or ""))
        if used is None:
            unknown.add(row)
        totals[row] = (totals[row] or 0) + (used or 0)
    for row in unknown:
        totals[row] = None
    return totals


def _used(data: Any) -> int | None:
    if not isinstance(data, dict):
        return None
    for given, made in _SPELLINGS:
        counts = [data.get(given), data.get(made)]
        if counts != [None, None]:
            known = [n for n in counts if isinstance(n, int) and not isinstance(n, bool) and n >= 0]
            return sum(known) if len(known) == len(counts) else None
    return None
