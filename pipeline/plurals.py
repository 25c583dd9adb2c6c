"""Counts with their nouns."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A count with its noun, such as `1 run`, `0 verdicts` or `2,000 unreadable rows`."""
    return f"{count:,} {number_of(count, noun)}"


def number_of(count: int, noun: str) -> str:
    """A noun in the number that goes with a count."""
    return noun if count == 1 else plural(noun)


def plural(noun: str) -> str:
    """The plural of a noun that is formed by rule."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
