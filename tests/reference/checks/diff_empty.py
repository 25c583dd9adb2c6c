"""diff-empty: the run changed nothing."""

from tests.reference.diffs import diff_twin

TYPE = "diff-empty"
TWIN = diff_twin(lambda _, diff: not diff)
