"""transcript-contains: some single assistant message contains a text."""

from tests.reference.searching import transcript_search

TYPE = "transcript-contains"
TWIN = transcript_search(is_absence=False)
