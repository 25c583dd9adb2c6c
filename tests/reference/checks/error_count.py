"""error-count: there are at most so many error events."""

from tests.reference.budgets import budget

TYPE = "error-count"
TWIN = budget(lambda _, view: len(view.of_type("error")))
