"""file-not-contains: no file contains a text.

Passes when files match the glob and none contains the text, case-sensitive.
Fails when one does.
Abstains with MISSING_DATA when the record has no snapshot; an empty one is a snapshot.
Without a matching file it abstains with NO_EVIDENCE.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import FileLiteral


class FileNotContains(FileLiteral):
    """Pass when no matching file contains a text."""

    type_name: ClassVar[str] = "file-not-contains"
    is_absence: ClassVar[bool] = True
