"""all-of: all of several checks pass."""

from tests.reference.combinations import combination

TYPE = "all-of"
TWIN = combination(lambda config: len(config["checks"]))
