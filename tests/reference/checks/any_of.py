"""any-of: one of several checks passes."""

from tests.reference.combinations import combination

TYPE = "any-of"
TWIN = combination(lambda _: 1)
