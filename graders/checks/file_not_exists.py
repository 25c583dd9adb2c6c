"""file-not-exists: no such file exists in the workspace.

Passes when no file of the snapshot matches the glob.
Fails when one does.
Abstains with MISSING_DATA when the record has no snapshot; an empty one is a snapshot.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import FileExistence


class FileNotExists(FileExistence):
    """Pass when no file of the snapshot matches the glob."""

    type_name: ClassVar[str] = "file-not-exists"
    is_absence: ClassVar[bool] = True
