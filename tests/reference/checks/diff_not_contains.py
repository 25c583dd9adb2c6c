"""diff-not-contains: the diff does not contain a text or a pattern."""

from tests.reference.diffs import diff_twin, is_found

TYPE = "diff-not-contains"
TWIN = diff_twin(lambda config, diff: not is_found(config, diff))
