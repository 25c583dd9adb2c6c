"""at-least: at least n of several checks pass.

Passes when n parts pass.
Fails when so many fail that the abstentions cannot make up for them.
Abstains otherwise, with the code of the first part that abstains.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from graders.families.combinations import Combination


class AtLeast(Combination):
    """Pass when at least n parts pass."""

    type_name: ClassVar[str] = "at-least"

    n: int = Field(ge=1, description="How many parts must pass.")

    @model_validator(mode="after")
    def _has_enough(self) -> AtLeast:
        if self.n > len(self.checks):
            raise ValueError(f"n is {self.n}, but there are only {len(self.checks)} parts")
        return self

    @property
    def needed(self) -> int:  # noqa: D102  (as in Combination)
        return self.n
