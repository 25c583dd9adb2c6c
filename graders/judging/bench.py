"""The judges of a run, and the replies that they have given."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from graders.judging.request import Judge, JudgeRequest
from graders.judging.vote import Reply, ReplyStatus

NOT_ASKED = Reply(ReplyStatus.UNAVAILABLE, "the judge was not asked")


class Replies(Protocol):
    """Where replies are looked up."""

    def find(self, request: JudgeRequest) -> Reply | None:
        """The reply to a request; None where there is none."""
        ...


@dataclasses.dataclass(frozen=True)
class Bench:
    """What grading needs to know of model judges; without one, nobody judges.

    Attributes:
        judges: the judges, the first of them for checks that name none.
        replies: what they have said.
    """

    judges: Sequence[Judge]
    replies: Replies

    def judge(self, names: Sequence[str]) -> Judge | None:
        """The first judge that is called by one of the names, or whose model is; any for no names."""
        if not names:
            return self.judges[0] if self.judges else None
        for name in names:
            for judge in self.judges:
                if name in (judge.name, judge.model):
                    return judge
        return None

    def reply(self, request: JudgeRequest) -> Reply:
        """The reply to a request."""
        return self.replies.find(request) or NOT_ASKED


class RepliesByDigest(dict[bytes, Reply]):
    """Replies in memory, by the digest of their request."""

    def find(self, request: JudgeRequest) -> Reply | None:
        """The reply to a request; None where there is none."""
        return self.get(request.digest)


class RequestNotes(dict[bytes, JudgeRequest]):
    """Stands for replies while it is found out what must be asked: notes requests, answers none."""

    def find(self, request: JudgeRequest) -> Reply | None:
        """Note the request."""
        self.setdefault(request.digest, request)
        return None
