"""file-exists: a file matches the glob."""

from tests.reference.files import file_twin

TYPE = "file-exists"
TWIN = file_twin(is_absence=False, is_search=False)
