"""file-not-contains: matching files do not contain a text."""

from tests.reference.files import file_twin

TYPE = "file-not-contains"
TWIN = file_twin(is_absence=True, is_search=True)
