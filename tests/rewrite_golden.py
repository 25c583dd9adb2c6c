"""Rewrite the files under `tests/golden` from a run of today: `python -m tests.rewrite_golden`."""

from __future__ import annotations

import pathlib
import tempfile

from tests.dataflow_request import REQUEST, built_job, encoded, request
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
    try:
        with tempfile.TemporaryDirectory() as work:
            made = request(built_job(pathlib.Path(work)))
    except ImportError as error:
        print(f"{REQUEST} is left as it is, since apache-beam[gcp] is not installed: {error}")
    else:
        REQUEST.write_text(encoded(made), encoding="utf-8")
        print(REQUEST)


if __name__ == "__main__":
    main()
