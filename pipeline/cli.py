"""The command line: finds the command, starts it, and turns what it raises into an exit code."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import functools
import importlib.metadata
import logging
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from types import ModuleType
from typing import Any, NoReturn

from graders.catalog import CatalogError
from pipeline.commands import (
    agreement,
    checks,
    compare,
    completion,
    convert,
    gate,
    grade,
    lint,
    report,
    run,
    runs,
    show,
    validate,
)
from pipeline.errors import InvalidError, RunError
from pipeline.logs import FORMATS, json_logs, keep_news
from pipeline.outputs.visible_text import visible

OK, INVALID, FAILED, INTERRUPTED = 0, 2, 3, 130

COMMANDS: dict[str, ModuleType] = {
    "grade": grade,
    "run": run,
    "compare": compare,
    "agreement": agreement,
    "runs": runs,
    "show": show,
    "report": report,
    "gate": gate,
    "validate": validate,
    "lint": lint,
    "convert": convert,
    "checks": checks,
    "completion": completion,
}
_WITH_RUNNER = ("run", "compare")
_EPILOG = """examples:
  gradebeam grade runs.jsonl spec.yaml                                # begin here
  gradebeam run --spec spec.yaml --input runs --output graded         # keep tables and a page
  gradebeam show graded run-17                                        # one run, event by event
  gradebeam compare graded/last-week graded/today                     # what changed
  gradebeam gate graded/today --job nightly.yaml                      # is it good enough

--help of each command has examples, and says what its exit codes mean."""


class _Parser(argparse.ArgumentParser):
    """Refuses abbreviations and unknown flags, with the nearest known one; exits with 2."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        hint = ""
        if "unrecognized arguments:" in message:
            unknown = message.split(":", 1)[1].split()
            known = [flag for action in self._actions_below() for flag in action.option_strings]
            near = [
                match
                for name in unknown
                for match in difflib.get_close_matches(name.split("=", 1)[0], known, n=1)
            ]
            hint = f" (did you mean {', '.join(near)}?)" if near else ""
        self.exit(INVALID, f"{self.prog}: {message}{hint}; see {self.prog} --help\n")

    def _actions_below(self) -> list[argparse.Action]:
        actions = list(self._actions)
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  (argparse has no public name)
                for parser in action.choices.values():
                    actions += parser._actions  # noqa: SLF001
        return actions


class _ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version, which is looked up only now, and end."""
        print(f"gradebeam {importlib.metadata.version('gradebeam')}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is one of SEMANTICS section 9, or 130 where SIGINT or SIGTERM ended it."""
    # Beam warns of optional clients that are not installed while it is imported.
    keep_news()
    given = list(sys.argv[1:] if arguments is None else arguments)
    runner_flags: list[str] = []
    if "--" in given:
        at = given.index("--")
        given, runner_flags = given[:at], given[at + 1 :]
    parser = _make_parser()
    options = parser.parse_args(given)
    if runner_flags and options.command not in _WITH_RUNNER:
        parser.error(f"only {' and '.join(_WITH_RUNNER)} take runner options after --")
    options.runner_flags = runner_flags
    options.parser = parser
    with json_logs() if options.log_format == "json" else contextlib.nullcontext():
        return _start(options)


def _start(options: argparse.Namespace) -> int:
    """Start the command that was parsed; the exit code."""
    is_json = options.log_format == "json"
    say = logging.getLogger(__name__).error if is_json else functools.partial(print, file=sys.stderr)
    try:
        with _interrupted_by_sigterm():
            return COMMANDS[options.command].start(options)
    except InvalidError as error:
        for problem in error.problems:
            say(visible(str(problem)))
        if len(error.problems) > 1:
            say(f"{len(error.problems):,} problems; nothing was graded")
        return INVALID
    except CatalogError as error:
        say(visible(f"gradebeam: {error}"))
        return INVALID
    except RunError as error:
        say(visible(f"gradebeam: {error}"))
        return FAILED
    except KeyboardInterrupt:
        say("gradebeam: interrupted; nothing of this run counts")
        return INTERRUPTED
    except BrokenPipeError:  # Whoever read our output has seen enough.
        sys.stdout = None
        return OK
    except Exception as error:  # A bug of ours: it must not end with the code of a gate.
        logging.getLogger(__name__).exception("this is a bug of gradebeam")
        say(visible(f"gradebeam: {type(error).__name__}: {error}"))
        return FAILED


@contextlib.contextmanager
def _interrupted_by_sigterm() -> Generator[None]:
    """Let a SIGTERM end what runs inside as Ctrl+C does, so that it cleans up."""
    if threading.current_thread() is not threading.main_thread():  # Only that one may set handlers.
        yield
        return
    earlier = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)


_EXIT_CODES = {0: "done", 2: "the command, or what it reads, is invalid"}
"""Of commands that say nothing else."""


def _exit_codes(module: ModuleType) -> str:
    """What the exit codes of a command mean, for its help."""
    codes: dict[int, str] = getattr(module, "EXIT_CODES", _EXIT_CODES)
    return "\n".join(["exit codes:", *(f"  {code}  {meaning}" for code, meaning in codes.items())])


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="gradebeam",
        description="Grade recorded AI-agent trajectories: pass, fail or abstain.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version, and end")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=module.SUMMARY,
            description=f"{module.SUMMARY[0].upper()}{module.SUMMARY[1:]}.",
            epilog=f"{module.EPILOG}\n\n{_exit_codes(module)}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.add_argument(
            "--log-format", choices=FORMATS, default="text", help="what stderr gets; json: an object a line"
        )
    return parser
