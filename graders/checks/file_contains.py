"""file-contains: a file contains a text.

Passes when a file that matches the glob contains the text, case-sensitive.
Fails otherwise.
Abstains with MISSING_DATA when the record has no snapshot; an empty one is a snapshot.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import FileLiteral


class FileContains(FileLiteral):
    """Pass when a matching file contains a text."""

    type_name: ClassVar[str] = "file-contains"
