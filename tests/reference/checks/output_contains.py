"""output-contains: the final output contains a text."""

from tests.reference.searching import output_search

TYPE = "output-contains"
TWIN = output_search(is_absence=False)
