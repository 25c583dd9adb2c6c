"""A worker process of a local run, started as a program: Beam's, with logs as the whole command has them."""

from __future__ import annotations

import logging
import os
import sys

from pipeline.logs import worker_handler


def main() -> None:
    """Serve the runner that the environment names, until it says that there is no more to do."""
    logging.getLogger().addHandler(worker_handler())  # Before Beam comes, which else would add its own.
    os.environ.pop("LOGGING_API_SERVICE_DESCRIPTOR", None)  # The runner would print the same once more.
    from apache_beam.runners.worker import sdk_worker_main  # noqa: PLC0415  (see above)

    sdk_worker_main.main(sys.argv)


if __name__ == "__main__":
    main()
