"""file-not-matches: a pattern is found in no file.

Passes when files match the glob and the pattern is found in none.
Fails when it is found in one.
Abstains with MISSING_DATA when the record has no snapshot; an empty one is a snapshot.
Without a matching file it abstains with NO_EVIDENCE.
"""

from __future__ import annotations

from typing import ClassVar

from graders.families.workspace import FilePattern


class FileNotMatches(FilePattern):
    """Pass when a pattern is found in no matching file."""

    type_name: ClassVar[str] = "file-not-matches"
    is_absence: ClassVar[bool] = True
