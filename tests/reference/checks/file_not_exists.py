"""file-not-exists: no file matches the glob."""

from tests.reference.files import file_twin

TYPE = "file-not-exists"
TWIN = file_twin(is_absence=True, is_search=False)
