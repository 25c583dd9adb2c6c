"""any-of: one of several checks passes.

Passes when a part passes.
Fails when every part fails.
Abstains otherwise, with the code of the first part that abstains.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.combinations import Combination


class AnyOf(Combination):
    """Pass when one part passes."""

    type_name: ClassVar[str] = "any-of"

    @property
    def needed(self) -> int:  # noqa: D102  (as in Combination)
        return 1
