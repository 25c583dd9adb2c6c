"""output-not-matches: a pattern is not found in the final output."""

from tests.reference.searching import output_search

TYPE = "output-not-matches"
TWIN = output_search(is_absence=True)
