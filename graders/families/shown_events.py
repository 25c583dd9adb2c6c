"""The records of a batch, or of the turns in view, as a judge reads them."""

from __future__ import annotations

from graders.arrays import replace_surrogates, to_python, to_texts
from graders.batch import TrajectoryBatch
from graders.judging.record import RecordedText, show_record
from graders.trajectory import EventType

_SHOWN = {
    int(kind): kind
    for kind in EventType
    if kind not in (EventType.TURN_START, EventType.TURN_END, EventType.TOKEN_USAGE, EventType.CUSTOM)
}
"""Turn marks, token counts and events of no known meaning tell a judge nothing."""


def shown_records(batch: TrajectoryBatch) -> list[str]:
    """The text of each trajectory, without anything that is not UTF-8."""
    return batch.memo("shown_records", lambda: _show(batch))


def _show(batch: TrajectoryBatch) -> list[str]:
    events = batch.events
    positions = batch.positions_in_view()
    names, _ = events.codes("tool_name")
    rows: list[list[RecordedText]] = [[] for _ in range(len(batch))]
    columns = zip(
        events.row[positions].tolist(),
        (positions - events.offsets[events.row[positions]]).tolist(),
        events.kinds[positions].tolist(),
        to_texts(events.column("content").take(positions)),
        events.result_names()[positions].tolist(),
        to_texts(events.column("arguments").take(positions)),
        to_python(events.column("is_error").take(positions)),
        to_texts(events.column("name").take(positions)),
        strict=True,
    )
    for row, index, kind, content, tool, arguments, is_error, name in columns:
        if kind not in _SHOWN:
            continue
        subject = names[tool] if tool >= 0 else name
        label = " ".join(
            part
            for part in (_SHOWN[kind].label, subject, "(failed)" if is_error else None)
            if part is not None
        )
        text = arguments if kind == EventType.TOOL_CALL else content
        rows[row].append(RecordedText(index, label, text or ""))
    outputs = batch.output.to_texts()
    return [replace_surrogates(show_record(row, output)) for row, output in zip(rows, outputs, strict=True)]
