"""Recorded runs with the sizes of real corpora: most are small, and a few are very large.

Half of the runs have at most 20 kB of text and 27 messages, nine in ten 100 kB and 79, 99 in a hundred 300 kB
and 139; the largest have 2 MB. Half have parallel calls, half have text that is not ASCII, and a third end
with a call and so without an output. Texts are cut out of a pool that is made once.
"""

from __future__ import annotations

import functools
import json
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from bench_data import SAMPLES, TOOLS, Corpus, Row, vocabulary

RANKS = (0.0, 0.5, 0.9, 0.99, 1.0)
TEXT_BYTES = (2_000, 20_000, 100_000, 300_000, 2_000_000)
MESSAGES = (6, 27, 79, 139, 200)
CALLS = (2, 9, 23, 34, 60)
_POOL_WORDS = 400_000
_LETTERS = "äöüßéèñçøåłžабвгдежзиклмноп日本語中文字한국어"

Event = dict[str, Any]


def at_rank(rank: float, sizes: Sequence[int]) -> int:
    """The size at a rank from 0 to 1, given those at `RANKS`; between these its logarithm grows evenly."""
    return round(math.exp(float(np.interp(rank, RANKS, np.log(sizes)))))


class _Pool:
    """A long text to cut others out of."""

    def __init__(self, words: Sequence[str]) -> None:
        self._text = " ".join(random.Random(11).choices(words, k=_POOL_WORDS))
        self.bytes_per_character = len(self._text.encode()) / len(self._text)

    def cut(self, length: int, draw: random.Random) -> str:
        """Some text of so many characters."""
        start = draw.randrange(len(self._text) - length)
        return self._text[start : start + length]


@functools.cache
def _pools() -> tuple[_Pool, _Pool]:
    draw = random.Random(7)
    foreign = ["".join(draw.choices(_LETTERS, k=draw.randint(2, 8))) for _ in vocabulary()]
    return _Pool(vocabulary()), _Pool([*vocabulary(), *foreign])


def make_heavy_run(number: int, rank: float, draw: random.Random) -> Row:
    """One run as a row of the schema of bench_data.

    Args:
        number: which run.
        rank: how large it is among all, from 0 to 1.
        draw: for the rest.
    """
    pool = draw.choice(_pools())
    is_parallel, has_output = draw.random() < 1 / 2, draw.random() >= 1 / 3
    messages, calls = at_rank(rank, MESSAGES), at_rank(rank, CALLS)
    weights = [draw.expovariate(1) for _ in range(messages)]
    characters = at_rank(rank, TEXT_BYTES) / pool.bytes_per_character / sum(weights)
    lengths = iter(weights)

    def text() -> str:
        return pool.cut(round(next(lengths) * characters), draw)

    # The question, replies and results of calls are messages; calls stand in the replies.
    replies = messages - 1 - calls
    of_reply = _spread(calls, replies - has_output, draw, together=3 if is_parallel else 1)
    events: list[Event] = [{"type": "user_message", "turn": 0, "content": text()}]
    for at, made in enumerate(of_reply):
        events.append({"type": "assistant_message", "turn": 0, "content": text()})
        events += _calls(f"{number}_{at}", made, text, draw)
    if has_output:
        events.append({"type": "assistant_message", "turn": 0, "content": text()})
    return {
        "trajectory_id": f"t{number}",
        "sample_id": f"s{number % SAMPLES}",
        "trial": number // SAMPLES,
        "model": draw.choice(("m1", "m2", "m3")),
        "output": events[-1]["content"] if has_output else None,
        "events": events,
        "reference": json.dumps({"expected": {"answer": draw.choice(vocabulary())}}),
    }


def _spread(calls: int, replies: int, draw: random.Random, together: int) -> list[int]:
    """How many calls each reply makes: at most so many together, and the last reply at least one."""
    of_reply = [0] * replies
    steps = [min(together, calls - made) for made in range(0, calls, together)]
    for at, made in zip([replies - 1, *draw.sample(range(replies - 1), len(steps) - 1)], steps, strict=True):
        of_reply[at] = made
    return of_reply


def _calls(name: str, count: int, text: Callable[[], str], draw: random.Random) -> list[Event]:
    """So many calls of one step, and their results."""
    calls: list[Event] = []
    results: list[Event] = []
    for at in range(count):
        call = {"turn": 0, "tool_name": draw.choice(TOOLS), "tool_call_id": f"call_{name}_{at}"}
        arguments = {"q": draw.choice(vocabulary()), "n": at, "opts": {"deep": True}}
        calls.append({"type": "tool_call", **call, "arguments": json.dumps(arguments)})
        release_id = f"rt_{draw.getrandbits(64):016x}"
        content = f'{{"ok": true, "release_id":"{release_id}", "body":"{text()}"}}'
        results.append({"type": "tool_result", **call, "content": content})
    return calls + results


def _heavy_runs(numbers: range) -> list[Row]:
    draw = random.Random(numbers.start)
    ranks = [(at + draw.random()) / len(numbers) for at in range(len(numbers))]
    ranks[-1] = 1.0
    draw.shuffle(ranks)
    return [make_heavy_run(number, rank, draw) for number, rank in zip(numbers, ranks, strict=True)]


HEAVY = Corpus("heavy", _heavy_runs, group_rows=1_000, file_rows=5_000, distinct_rows=20_000)
