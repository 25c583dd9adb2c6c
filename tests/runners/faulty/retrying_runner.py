"""The command on a local runner that tries each bundle three times, as clusters do with one that fails.

The first two attempts count nothing, whether they fail or only their end is not noticed; an error of the third fails
the run.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

import pipeline.runners
from pipeline.cli import main


class RetryingRunner(FnApiRunner):
    """Beam's own way to repeat bundles, but that it goes on when one fails."""

    def __init__(self) -> None:
        super().__init__(bundle_repeat=1)

    def _run_bundle_multiple_times_for_testing(self, *given: Any) -> None:
        for _ in range(2):
            with contextlib.suppress(RuntimeError):
                super()._run_bundle_multiple_times_for_testing(*given)


if __name__ == "__main__":
    pipeline.runners.FnApiRunner = RetryingRunner
    sys.exit(main())
