"""diff-not-contains: the diff does not contain a text or a pattern.

Passes when neither value nor pattern is found in the unified diff, headers included.
Fails otherwise.
Abstains with MISSING_DATA when no diff is recorded; a turn slice reads the diff of its turn only.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import DiffSearch


class DiffNotContains(DiffSearch):
    """Pass when a text or a pattern is not found in the diff."""

    type_name: ClassVar[str] = "diff-not-contains"
    is_absence: ClassVar[bool] = True
