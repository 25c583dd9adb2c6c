"""transcript-not-matches: a pattern is found in no assistant message, and there is one."""

from tests.reference.searching import transcript_search

TYPE = "transcript-not-matches"
TWIN = transcript_search(is_absence=True)
