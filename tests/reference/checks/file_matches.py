"""file-matches: a pattern is found in a matching file."""

from tests.reference.files import file_twin

TYPE = "file-matches"
TWIN = file_twin(is_absence=False, is_search=True)
