"""output-not-contains: the final output does not contain a text."""

from tests.reference.searching import output_search

TYPE = "output-not-contains"
TWIN = output_search(is_absence=True)
