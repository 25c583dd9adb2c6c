"""A request to a model judge, and the hash that names it."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from graders.values import canonical_text


@dataclasses.dataclass(frozen=True)
class Judge:
    """A model that a run may ask.

    Attributes:
        name: what specs and tables call it.
        model: the model's name at its endpoint.
        parameters: what is sent with each request, such as the temperature; part of its hash.
    """

    name: str
    model: str
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])


@dataclasses.dataclass(frozen=True)
class JudgeRequest:
    """One question to one judge.

    Attributes:
        judge: whom it is put to.
        system: the instructions, the same for all records of a check.
        user: the record that is judged.
    """

    judge: Judge
    system: str
    user: str

    @functools.cached_property
    def digest(self) -> bytes:
        """SHA-256 of the canonical JSON of model, messages and parameters: same digest, same question.

        The name of the judge is no part of it, so that another name for a model pays for nothing twice.
        """
        asked = {
            "model": self.judge.model,
            "messages": [["system", self.system], ["user", self.user]],
            "parameters": dict(self.judge.parameters),
        }
        return hashlib.sha256(canonical_text(asked).encode()).digest()

    def encode(self) -> bytes:
        """The request as JSON, from which `decode` makes it again."""
        return json.dumps(dataclasses.asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> JudgeRequest:
        """The request that `encode` wrote."""
        fields = json.loads(data)
        return cls(Judge(**fields["judge"]), fields["system"], fields["user"])
