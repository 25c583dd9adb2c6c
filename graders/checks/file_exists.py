"""file-exists: a file exists in the workspace.

Passes when a file of the snapshot matches the glob.
Fails when none does.
Abstains with MISSING_DATA when the record has no snapshot; an empty one is a snapshot.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import FileExistence


class FileExists(FileExistence):
    """Pass when a file of the snapshot matches the glob."""

    type_name: ClassVar[str] = "file-exists"
