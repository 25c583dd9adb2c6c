"""file-matches: a pattern is found in a file.

Passes when the pattern is found in a file that matches the glob.
Fails otherwise.
Abstains with MISSING_DATA when the record has no snapshot; an empty one is a snapshot.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import FilePattern


class FileMatches(FilePattern):
    """Pass when a pattern is found in a matching file."""

    type_name: ClassVar[str] = "file-matches"
