"""What judging may cost: tokens by estimate, and which requests a budget lets through."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from graders.judging.request import JudgeRequest

_BYTES_PER_TOKEN = 3
"""A cautious guess: English text has about four bytes to a token, JSON and other scripts about three."""


def input_tokens(request: JudgeRequest) -> int:
    """How many tokens a request has, by estimate."""
    return -(-len((request.system + request.user).encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def output_tokens(request: JudgeRequest) -> int:
    """How many tokens its reply may have at most."""
    parameters = request.judge.parameters
    for name in ("max_completion_tokens", "max_tokens"):
        if isinstance(parameters.get(name), int):
            return parameters[name]
    return 0


@dataclasses.dataclass(frozen=True)
class Budget:
    """How many requests, and how many tokens by estimate, a run may spend; None for no limit."""

    max_calls: int | None = None
    max_tokens: int | None = None

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.max_calls is not None or self.max_tokens is not None

    def last_within(self, sizes: Iterable[tuple[bytes, int]]) -> bytes:
        """The last request within the budget, in the order of their hashes; empty where none is.

        Args:
            sizes: digest and tokens of each request that is not in the cache.
        """
        last, calls, tokens = b"", 0, 0
        for digest, size in sorted(sizes):
            calls, tokens = calls + 1, tokens + size
            if self.max_calls is not None and calls > self.max_calls:
                break
            if self.max_tokens is not None and tokens > self.max_tokens:
                break
            last = digest
        return last
