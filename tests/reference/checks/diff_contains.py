"""diff-contains: the diff contains a text or a pattern."""

from tests.reference.diffs import diff_twin, is_found

TYPE = "diff-contains"
TWIN = diff_twin(is_found)
