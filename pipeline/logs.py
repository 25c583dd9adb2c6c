"""Logs as lines of JSON, for programs that gather them: what is logged, and what is printed beside it."""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import logging
import os
import sys
from collections.abc import Generator
from typing import TextIO

FORMATS = ("text", "json")

_PACKAGES = ("graders", "pipeline")
_STANDARD = frozenset([*vars(logging.makeLogRecord({})), "asctime", "message", "taskName"])

_FIELDS: dict[str, object] = {}
"""What is on every line: a record is written by other threads too, and after the run has failed."""

_ENVIRONMENT = "GRADEBEAM_LOG_FIELDS"
"""The variable with `_FIELDS`, as JSON, for worker processes; it is there while logs are lines of JSON."""

_KNOWN_WARNINGS = (
    "apitools not found",  # An optional client of Beam is not installed.
    "No semi_persistent_directory found",  # Local workers need none.
    "Really starting service",  # A runner is started for the run,
    "Really destroying service",  # and ends with it.
)
_KNOWN_LOGGERS = (None, "apache_beam.utils.subprocess_server")


class JsonFormatter(logging.Formatter):
    """Makes one line of JSON of a record: `time` (UTC), `level`, `logger`, `message`, and its fields.

    Fields are those that the caller gave as `extra`, and those of `log_with`. A traceback is in
    `exception`. The line is ASCII, so that any text passes any pipe.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line = {
            "time": datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_FIELDS,
            **{name: value for name, value in vars(record).items() if name not in _STANDARD},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class _LoggedLines(io.TextIOBase):
    """A stream whose lines are logged."""

    def __init__(self) -> None:
        super().__init__()
        self._logger = logging.getLogger(__name__)
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            if line.strip():
                self._logger.info("%s", line)
        return len(text)


class _JsonHandler(logging.StreamHandler[TextIO]):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (the name is logging's)
        """Pass over a stderr that nobody reads any more: to tell of it would only fail again."""


@contextlib.contextmanager
def json_logs() -> Generator[None]:
    """Write all that is logged inside, or printed on stderr, to stderr as lines of JSON.

    Of our packages messages of the level INFO are written too.
    """
    _FIELDS.clear()  # Of an earlier command in this process.
    os.environ[_ENVIRONMENT] = "{}"
    handler = _JsonHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in _PACKAGES}
    root.addHandler(handler)
    for name in _PACKAGES:
        logging.getLogger(name).setLevel(logging.INFO)
    try:
        with contextlib.redirect_stderr(_LoggedLines()):
            yield
    finally:
        _FIELDS.clear()
        del os.environ[_ENVIRONMENT]
        root.removeHandler(handler)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def log_with(**fields: object) -> None:
    """Give fields to all that `json_logs` writes from now on, in whichever thread of this process."""
    _FIELDS.update(fields)
    if _ENVIRONMENT in os.environ:
        os.environ[_ENVIRONMENT] = json.dumps(_FIELDS, default=str)


def is_news(record: logging.LogRecord) -> bool:
    """Whether a record tells more than what Beam always says of an installation like ours."""
    return not record.getMessage().startswith(_KNOWN_WARNINGS)


def keep_news() -> None:
    """Leave out what is no news of what Beam logs in this process."""
    for name in _KNOWN_LOGGERS:
        logging.getLogger(name).addFilter(is_news)


def worker_handler() -> logging.Handler:
    """What writes the warnings and errors of a worker process to stderr, as its parent writes them."""
    fields = os.environ.get(_ENVIRONMENT)
    handler = _JsonHandler(sys.stderr) if fields else logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if fields else logging.Formatter(logging.BASIC_FORMAT))
    handler.setLevel(logging.WARNING)
    handler.addFilter(is_news)
    _FIELDS.update(json.loads(fields or "{}"))
    return handler
