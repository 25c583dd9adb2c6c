"""at-least: at least n of several checks pass."""

from tests.reference.combinations import combination

TYPE = "at-least"
TWIN = combination(lambda config: config["n"])
