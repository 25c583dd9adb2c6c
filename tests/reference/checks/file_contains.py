"""file-contains: a matching file contains a text."""

from tests.reference.files import file_twin

TYPE = "file-contains"
TWIN = file_twin(is_absence=False, is_search=True)
