"""The record of a run as a judge reads it: bounded, and unable to pass for anything but a record.

Each event is a line that says what it is, and its text below, every line of it behind `| `: a text
can neither begin an event nor end the record. A long text keeps its beginning and its end, a long
record its first and its last events, and what was left out is said where it was. The whole stands
between two lines with a *mark*, a number that is derived from the text and does not occur in it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterator, Sequence

MAX_TEXT = 6_000
"""The most code points of one text; two thirds are its beginning, one third its end."""

MAX_RECORD = 60_000
"""The most code points of all events together; half are the first ones, half the last."""

_MARK_DIGITS = 32

_LINE_END = re.compile("\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
"""What begins a line for some reader: the line ends of Unicode, as `str.splitlines` has them."""


@dataclasses.dataclass(frozen=True, slots=True)
class RecordedText:
    """One event as it is shown.

    Attributes:
        index: its 0-based place in the record.
        label: what it is, such as `tool_call catalog.lookup`.
        text: its content.
    """

    index: int
    label: str
    text: str


def show_record(events: Sequence[RecordedText], output: str | None) -> str:
    """The events and the final output as one text, without the lines around it."""
    blocks = [_block(f"[{event.index}] {_one_line(event.label)}", event.text) for event in events]
    shown = _first_and_last(blocks, events)
    if output is None:
        return "\n".join([*shown, "final output: none"])
    if events and events[-1].label == "assistant_message" and events[-1].text == output:
        return "\n".join([*shown, "final output: the last assistant_message"])
    return "\n".join([*shown, _block("final output", output)])


def enclose(text: str) -> str:
    """The text between two lines that carry its mark."""
    mark = _mark(text)
    return f"===== the record begins, mark {mark} =====\n{text}\n===== the record ends, mark {mark} ====="


def _mark(text: str) -> str:
    number = 0
    while True:
        digest = hashlib.sha256(f"{number}:{text}".encode("utf-8", "surrogatepass")).hexdigest()
        if digest[:_MARK_DIGITS] not in text:
            return digest[:_MARK_DIGITS]
        number += 1  # Nobody can arrange for this; it only shows that it is seen to.


def _block(heading: str, text: str) -> str:
    return f"{heading}:\n| " + _LINE_END.sub(r"\g<0>| ", _shorten(text))


def _one_line(label: str) -> str:
    return " ".join(_shorten(label).split())


def _shorten(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    tail = MAX_TEXT // 3
    head = MAX_TEXT - tail
    left_out = len(text) - MAX_TEXT
    return f"{text[:head]}\n[… {left_out} characters were left out here …]\n{text[-tail:]}"


def _first_and_last(blocks: Sequence[str], events: Sequence[RecordedText]) -> Iterator[str]:
    if sum(map(len, blocks)) <= MAX_RECORD:
        yield from blocks
        return
    first = _count_within(blocks, MAX_RECORD // 2)
    last = _count_within(blocks[:first:-1], MAX_RECORD // 2)
    end = len(blocks) - last
    yield from blocks[:first]
    yield (f"[… {end - first} events were left out here, {events[first].index} to {events[end - 1].index} …]")
    yield from blocks[end:]


def _count_within(blocks: Sequence[str], limit: int) -> int:
    """How many of the blocks, from the first on, fit into a limit."""
    size = 0
    for count, block in enumerate(blocks):
        size += len(block)
        if size > limit:
            return count
    return len(blocks)
