"""message-length: no message of the assistant is too long.

Passes when every assistant message has at most max characters.
Fails when one has more.
Abstains with NO_EVIDENCE when there is no assistant message, and when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pyarrow.compute as pc
from pydantic import Field

from graders.batch import TrajectoryBatch
from graders.check import Check, Subject
from graders.verdicts import Evidence, Verdicts


class MessageLength(Check):
    """Pass when no assistant message is longer than max characters."""

    type_name: ClassVar[str] = "message-length"
    subject: ClassVar[Subject] = Subject.MESSAGES

    max: int = Field(ge=1, description="The most characters that pass.")

    @property
    def needs(self) -> frozenset[str]:
        """What is read of a record."""
        return frozenset({"events.content"})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:
        """Judge all trajectories of a batch at once."""
        messages = batch.messages()
        lengths = pc.fill_null(pc.utf8_length(messages.text().array), 0).to_numpy(zero_copy_only=False)
        longest = np.zeros(len(batch), np.int64)
        np.maximum.at(longest, messages.row, lengths)
        evidence = Evidence.of_counts(
            [longest], lambda n: f"the longest message has {n} characters, limit {self.max}"
        )
        too_long = messages.where(lengths > self.max)
        return Verdicts.decide(~too_long.any(), evidence, too_long.first_index())
