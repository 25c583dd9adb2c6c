"""output-matches: a pattern is found in the final output."""

from tests.reference.searching import output_search

TYPE = "output-matches"
TWIN = output_search(is_absence=False)
