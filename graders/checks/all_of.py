"""all-of: all of several checks pass.

Passes when every part passes.
Fails when one fails.
Abstains otherwise, with the code of the first part that abstains.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.combinations import Combination


class AllOf(Combination):
    """Pass when all parts pass."""

    type_name: ClassVar[str] = "all-of"

    @property
    def needed(self) -> int:  # noqa: D102  (as in Combination)
        return len(self.checks)
