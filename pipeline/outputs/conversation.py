"""A trajectory as a conversation to read: its events in order, long ones cut, the middle left out."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from typing import Any

import pyarrow as pa

from graders.arrays import replace_surrogates, to_python
from graders.batch import TrajectoryBatch
from graders.values import cut

_CONTENT = 4_000
_SHORT = 300
_EDGE_EVENTS = 25
_AROUND = 12


def conversation(trajectory: pa.RecordBatch, marked: Collection[int]) -> dict[str, Any]:
    """A trajectory as a JSON object; `events` holds those that are shown, each with its index.

    Args:
        trajectory: one row with all columns of the record.
        marked: indexes of events that must be shown.
    """
    record = record_of(trajectory)
    events = record["events"] or []
    numbering = TrajectoryBatch(trajectory).events
    turns, answers = numbering.turns().tolist(), numbering.answers().tolist()
    shown = _shown(len(events), marked)
    return _clean(
        {
            "id": record["trajectory_id"],
            "sample": record["sample_id"],
            "trial": record["trial"],
            "model": record["model"],
            "agent": record["agent"],
            "tags": dict(record["tags"] or []),
            "error": record["error"],
            "end": record["end_reason"],
            "output": record["output"] and cut(record["output"], _CONTENT),
            "reference": record["reference"] and cut(record["reference"], _CONTENT),
            "count": len(events),
            "events": [_event(index, events[index] or {}, turns[index], answers[index]) for index in shown],
        }
    )


def record_of(trajectory: pa.RecordBatch) -> dict[str, Any]:
    """The columns of a batch of one row as Python values."""
    (record,) = to_python(pa.StructArray.from_arrays(trajectory.columns, names=trajectory.schema.names))
    return record


def _shown(n: int, marked: Collection[int]) -> list[int]:
    """The first and last events, and those around the marked ones."""
    if n <= 3 * _EDGE_EVENTS:
        return list(range(n))
    near = {at for mark in marked for at in range(mark - _AROUND, mark + _AROUND + 1)}
    edges = {*range(_EDGE_EVENTS), *range(n - _EDGE_EVENTS, n)}
    return sorted(at for at in near | edges if 0 <= at < n)


def _event(index: int, event: dict[str, Any], turn: int, answers: int) -> dict[str, Any]:
    content = event.get("content")
    return {
        "index": index,
        "type": event.get("type") or "event",
        "turn": turn,
        "tool": event.get("tool_name"),
        "call": event.get("tool_call_id") and cut(event["tool_call_id"], _SHORT),
        "answers": answers if answers >= 0 else None,
        "name": event.get("name"),
        "arguments": event.get("arguments") and cut(event["arguments"], _CONTENT),
        "content": content and cut(content, _CONTENT),
        "more": max(len(content or "") - _CONTENT, 0) or None,
        "error": event.get("is_error"),
        "data": event.get("data") and cut(event["data"], _SHORT),
    }


def _clean(value: Any) -> Any:
    """The value with only what a page can show: no nulls in objects, no surrogates, times as text."""
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return replace_surrogates(value) if isinstance(value, str) else value
