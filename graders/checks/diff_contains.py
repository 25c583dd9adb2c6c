"""diff-contains: the diff contains a text or a pattern.

Passes when the value (case-sensitive) or the pattern is found in the unified diff, headers included.
Fails otherwise.
Abstains with MISSING_DATA when no diff is recorded; a turn slice reads the diff of its turn only.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import DiffSearch


class DiffContains(DiffSearch):
    """Pass when a text or a pattern is found in the diff."""

    type_name: ClassVar[str] = "diff-contains"
