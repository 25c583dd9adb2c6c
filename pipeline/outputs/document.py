"""JSON documents of a run or a comparison, which tell the version of their form."""

from __future__ import annotations

import json
from typing import Any

from pipeline import files
from pipeline.errors import invalid


def read_versioned(path: str, what: str, version_key: str, version: int, advice: str = "") -> dict[str, Any]:
    """Read a document.

    Args:
        path: where it is.
        what: what messages call it.
        version_key: the key of its version.
        version: the version that it must have.
        advice: what to do where it has another.

    Raises:
        InvalidError: it is not there, or not of that version.
    """
    try:
        document = json.loads(files.read_bytes(path, what))
    except ValueError as error:
        raise invalid(path, f"the {what} is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get(version_key) != version:
        raise invalid(path, f"not a {what} of version {version}{advice}")
    return document
