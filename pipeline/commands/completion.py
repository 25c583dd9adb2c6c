"""`gradebeam completion`: print what lets a shell complete the command."""

from __future__ import annotations

import argparse

from pipeline.errors import invalid

SUMMARY = "print what lets a shell complete commands and flags"
EPILOG = """examples:
  gradebeam completion bash > ~/.local/share/bash-completion/completions/gradebeam
  gradebeam completion zsh > ~/.zfunc/_gradebeam"""

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def start(options: argparse.Namespace) -> int:
    """Print the script.

    Raises:
        InvalidError: the extra is not installed.
    """
    try:
        import shtab  # noqa: PLC0415  (an extra)
    except ImportError as error:
        hint = "needs shtab: pip install 'gradebeam[completion]'"
        raise invalid("gradebeam completion", hint) from error
    print(shtab.complete(options.parser, shell=options.shell))
    return 0
