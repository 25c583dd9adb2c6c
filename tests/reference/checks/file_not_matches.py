"""file-not-matches: a pattern is found in no matching file."""

from tests.reference.files import file_twin

TYPE = "file-not-matches"
TWIN = file_twin(is_absence=True, is_search=True)
