"""The trajectory record (schema v1) and the terms that describe it.

*Call*, *result* and *message* are the events of type tool_call, tool_result and
assistant_message. *Agent activity* is any event of `AGENT_ACTIVITY` or a non-empty output. The
*final output* of a run is its recorded output or, where that is null, the content of the last
message unless a call comes after it. *Turns*, *steps* and *answers* are defined in `sequence`.
"""

from __future__ import annotations

import enum

import pyarrow as pa


class EventType(enum.IntEnum):
    """The known event types; the values are those of `Events.kinds`, where 0 is any other type."""

    USER_MESSAGE = 1
    ASSISTANT_MESSAGE = 2
    REASONING = 3
    TOOL_CALL = 4
    TOOL_RESULT = 5
    SKILL_ACTIVATION = 6
    SYSTEM = 7
    ERROR = 8
    TURN_START = 9
    TURN_END = 10
    TOKEN_USAGE = 11
    CUSTOM = 12

    @property
    def label(self) -> str:
        """The text in the `type` field of an event."""
        return self.name.lower()


AGENT_ACTIVITY = (
    EventType.ASSISTANT_MESSAGE,
    EventType.REASONING,
    EventType.TOOL_CALL,
    EventType.TOOL_RESULT,
    EventType.SKILL_ACTIVATION,
)

# Few distinct values over many events: kept as dictionaries, so that a test runs once per value.
CODED = pa.dictionary(pa.int32(), pa.string())

EVENT_FIELDS: dict[str, pa.DataType] = {
    "type": CODED,
    "turn": pa.int32(),
    "step": pa.int32(),
    "content": pa.string(),
    "tool_name": CODED,
    "tool_call_id": pa.string(),
    "arguments": pa.string(),
    "is_error": pa.bool_(),
    "name": pa.string(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "data": pa.string(),
}

_METRICS = pa.struct(
    [
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("cache_read_tokens", pa.int64()),
        ("cache_write_tokens", pa.int64()),
        ("total_tokens", pa.int64()),
        ("wall_time_ms", pa.int64()),
        ("cost_usd", pa.float64()),
    ]
)

RECORD_FIELDS: dict[str, pa.DataType] = {
    "trajectory_id": pa.string(),
    "sample_id": pa.string(),
    "trial": pa.int32(),
    "model": pa.string(),
    "agent": pa.string(),
    "tags": pa.map_(pa.string(), pa.string()),
    "output": pa.string(),
    "events": pa.list_(pa.struct(list(EVENT_FIELDS.items()))),
    "reference": pa.string(),
    "metrics": _METRICS,
    "end_reason": pa.string(),
    "error": pa.string(),
    "diff": pa.string(),
    "turn_diffs": pa.list_(pa.struct([("turn", pa.int32()), ("diff", pa.string())])),
    "files": pa.list_(pa.struct([("path", pa.string()), ("content", pa.string())])),
    "artifacts": pa.map_(pa.string(), pa.string()),
    "metadata": pa.string(),
}

# What a plan may ask a reader for: a column, or a field of the events as `events.<field>`.
# FINAL_OUTPUT stands for `output`, and for `events.content` where an output is null.
FINAL_OUTPUT = "final_output"
LEAVES = frozenset(
    {name for name in RECORD_FIELDS if name != "events"}
    | {f"events.{name}" for name in EVENT_FIELDS}
    | {FINAL_OUTPUT}
)

# What the rules that hold for every check read, whatever the check reads itself.
COMMON_NEEDS = frozenset({"trajectory_id", "sample_id", "trial", "output", "error", "events.type"})


def record_schema(needs: frozenset[str]) -> pa.Schema:
    """The Arrow schema of a batch that holds what `needs` names.

    Raises:
        ValueError: a name is not one of `LEAVES`.
    """
    if unknown := sorted(needs - LEAVES):
        raise ValueError(f"not part of the trajectory record: {', '.join(unknown)}")
    wanted = needs | COMMON_NEEDS
    if FINAL_OUTPUT in wanted:
        wanted |= {"events.content"}
    event_fields = [(name, kind) for name, kind in EVENT_FIELDS.items() if f"events.{name}" in wanted]
    fields = [
        (name, pa.list_(pa.struct(event_fields)) if name == "events" else kind)
        for name, kind in RECORD_FIELDS.items()
        if name in wanted or name == "events"
    ]
    return pa.schema(fields)
