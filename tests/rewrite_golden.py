"""Rewrite the files under `tests/golden` from a run of today: `python -m tests.rewrite_golden`."""

from __future__ import annotations

import pathlib
import tempfile

from tests.golden_run import DIRECTORY, run
from tests.golden_steps import STEPS, step_names


def main() -> None:
    """Write what a run gives; what has changed is to be read as a diff."""
    with tempfile.TemporaryDirectory() as work:
        for name, data in run(pathlib.Path(work)).items():
            (DIRECTORY / name).write_bytes(data)
            print(DIRECTORY / name)
    STEPS.write_text(step_names(), encoding="utf-8")
    print(STEPS)


if __name__ == "__main__":
    main()
