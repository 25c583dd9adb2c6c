"""transcript-not-contains: no assistant message contains a text, and there is one."""

from tests.reference.searching import transcript_search

TYPE = "transcript-not-contains"
TWIN = transcript_search(is_absence=True)
