"""transcript-matches: a pattern is found in some single assistant message."""

from tests.reference.searching import transcript_search

TYPE = "transcript-matches"
TWIN = transcript_search(is_absence=False)
