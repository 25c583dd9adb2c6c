"""Small batches, as tiny files and row groups give them, joined to such as are worth grading."""

import dataclasses
from collections.abc import Iterator

import pyarrow as pa

_ENOUGH_ROWS = 1000
"""To grade a batch costs a millisecond or two however few rows it has, and its verdicts take memory until
they are written."""


@dataclasses.dataclass
class _Held:
    batches: list[pa.RecordBatch] = dataclasses.field(default_factory=list)
    rows: int = 0
    size_bytes: int = 0

    def joined(self) -> pa.RecordBatch:
        return self.batches[0] if len(self.batches) == 1 else pa.concat_batches(self.batches)


class SmallBatches:
    """Holds back small batches until those of one schema make a large one together."""

    def __init__(self, most_bytes: int) -> None:
        """Join batches up to about so many bytes."""
        self._most_bytes = most_bytes
        self._held: dict[pa.Schema, _Held] = {}

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Take a batch, and give one that is large enough, where there is one now; order is not kept."""
        size_bytes = batch.nbytes
        if self._is_enough(2 * batch.num_rows, 2 * size_bytes):
            yield batch
            return
        held = self._held.setdefault(batch.schema, _Held())
        held.batches.append(batch)
        held.rows += batch.num_rows
        held.size_bytes += size_bytes
        if self._is_enough(held.rows, 2 * held.size_bytes):
            yield self._held.pop(batch.schema).joined()

    def drain(self) -> Iterator[pa.RecordBatch]:
        """Give what is left, a batch for each schema."""
        held, self._held = self._held, {}
        for each in held.values():
            yield each.joined()

    def _is_enough(self, rows: int, size_bytes: int) -> bool:
        return rows >= _ENOUGH_ROWS or size_bytes >= self._most_bytes
