"""The flag `--param`, which several commands have."""

from __future__ import annotations

import argparse

from pipeline.errors import invalid


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Let a command take `--param`."""
    parser.add_argument(
        "--param",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a parameter of a Vally eval (repeatable)",
    )


def parameters(options: argparse.Namespace) -> dict[str, str]:
    """The parameters that were given, by key.

    Raises:
        InvalidError: one is not of the form KEY=VALUE, or a key is given twice.
    """
    found: dict[str, str] = {}
    for item in options.param:
        key, equals, value = item.partition("=")
        if not key or not equals:
            raise invalid(f"--param {item}", "expected KEY=VALUE")
        if key in found:
            raise invalid(f"--param {item}", f"{key} is given twice")
        found[key] = value
    return found
