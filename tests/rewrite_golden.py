"""Rewrite the files under `tests/golden` from a run of today: `python -m tests.rewrite_golden`."""

from __future__ import annotations

import pathlib
import tempfile

from tests.golden_run import DIRECTORY, run


def main() -> None:
    """Write what a run gives; what has changed is to be read as a diff."""
    with tempfile.TemporaryDirectory() as work:
        for name, data in run(pathlib.Path(work)).items():
            (DIRECTORY / name).write_bytes(data)
            print(DIRECTORY / name)


if __name__ == "__main__":
    main()
