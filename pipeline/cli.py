"""The command line: `gradebeam run`, `validate`, `convert` and `checks`."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import logging
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table

from graders.catalog import CatalogError, check_types
from pipeline.errors import InvalidError, RunError, invalid
from pipeline.job import FORMATS, load_job, parse_columns

OK, INVALID, FAILED = 0, 2, 3


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is one of SEMANTICS section 9."""
    # Beam warns of optional clients that are not installed while it is imported.
    logging.getLogger().addFilter(lambda record: not record.getMessage().startswith("apitools not found"))
    given = list(sys.argv[1:] if arguments is None else arguments)
    runner_flags: list[str] = []
    if "--" in given:
        at = given.index("--")
        given, runner_flags = given[:at], given[at + 1 :]
    parser = _make_parser()
    options = parser.parse_args(given)
    if runner_flags and options.command != "run":
        parser.error("only run takes runner options after --")
    console = Console(stderr=True)
    try:
        return _start(options, runner_flags, console)
    except InvalidError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        if len(error.problems) > 1:
            print(f"{len(error.problems)} problems; nothing was graded", file=sys.stderr)
        return INVALID
    except CatalogError as error:
        print(f"gradebeam: {error}", file=sys.stderr)
        return INVALID
    except RunError as error:
        print(f"gradebeam: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # Whoever read our output has seen enough.
        sys.stdout = None
        return OK
    except Exception as error:  # A bug of ours: it must not end with the code of a gate.
        logging.getLogger(__name__).exception("this is a bug of gradebeam")
        print(f"gradebeam: {type(error).__name__}: {error}", file=sys.stderr)
        return FAILED


def _start(options: argparse.Namespace, runner_flags: Sequence[str], console: Console) -> int:
    if options.command == "run":
        return _run(options, runner_flags, console)
    command = {"validate": _validate, "lint": _lint, "convert": _convert, "checks": _checks}[options.command]
    return command(options)


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="gradebeam", description="Grade recorded AI-agent trajectories: pass, fail or abstain."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="grade trajectories by a spec",
        epilog="Example: gradebeam run --spec spec.yaml --input 'runs/*.parquet' --output graded",
    )
    run.add_argument("--job", metavar="FILE", help="a YAML file with these settings; flags win over it")
    run.add_argument(
        "--spec", metavar="FILE", action="append", help="the spec: which checks to apply (repeatable)"
    )
    _add_parameters(run)
    run.add_argument(
        "--input",
        metavar="GLOB",
        nargs="+",
        action="extend",
        help="Parquet or Avro files, directories or globs",
    )
    run.add_argument("--output", metavar="DIR", help="directory of the outputs")
    run.add_argument(
        "--columns",
        metavar="NAME=COLUMN,…",
        help="columns of the files that have other names than the record's",
    )
    run.add_argument("--formats", metavar="LIST", help=f"formats of the summary: {','.join(FORMATS)}")
    run.add_argument("--overwrite", action="store_true", default=None, help="replace a finished run")
    run.add_argument(
        "--max-quarantined", metavar="SHARE", type=float, help="largest share of unreadable rows (0.001)"
    )
    run.add_argument("--workers", metavar="N", type=int, help="local worker processes (by size and cores)")
    validate = commands.add_parser("validate", help="check spec files without grading")
    validate.add_argument("spec", metavar="SPEC", nargs="+")
    validate.add_argument("-v", "--verbose", action="store_true", help="also list what is read but not used")
    _add_parameters(validate)
    lint = commands.add_parser("lint", help="say what a spec probably does not mean, with a fix each")
    lint.add_argument("spec", metavar="SPEC", nargs="+")
    lint.add_argument("--data", metavar="GLOB", nargs="+", help="grade a sample of these files too")
    lint.add_argument("--sample", metavar="N", type=int, default=1000, help="size of the sample (1000)")
    lint.add_argument("--columns", metavar="NAME=COLUMN,…", help="as for run")
    _add_parameters(lint)
    convert = commands.add_parser("convert", help="write a spec of another dialect in the native one")
    convert.add_argument("spec", metavar="SPEC")
    _add_parameters(convert)
    checks = commands.add_parser("checks", help="list the check types")
    checks.add_argument("--json", action="store_true", help="with taxonomy and JSON Schema, as JSON")
    return parser


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--param",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a parameter of a Vally eval (repeatable)",
    )


def _parameters(options: argparse.Namespace) -> dict[str, str]:
    """The parameters by key.

    Raises:
        InvalidError: one is not of the form KEY=VALUE.
    """
    parameters: dict[str, str] = {}
    for item in options.param:
        key, equals, value = item.partition("=")
        if not key or not equals:
            raise invalid(f"--param {item}", "expected KEY=VALUE")
        parameters[key] = value
    return parameters


def _run(options: argparse.Namespace, runner_flags: Sequence[str], console: Console) -> int:
    from pipeline.outputs.render.table import console_table  # noqa: PLC0415  (only run needs Beam)
    from pipeline.run import run  # noqa: PLC0415

    flags = {
        name: value
        for name in ("spec", "input", "output", "overwrite", "max_quarantined", "workers")
        if (value := getattr(options, name)) is not None
    }
    if options.columns is not None:
        flags["columns"] = parse_columns(options.columns)
    if options.param:
        flags["parameters"] = _parameters(options)
    if options.formats is not None:
        flags["formats"] = options.formats.split(",")
    job = load_job(options.job, flags)
    if runner_flags:
        job = job.model_copy(update={"runner": {**job.runner, **_runner_options(runner_flags)}})
    result = run(job, console)
    Console(soft_wrap=False).print(console_table(result.records))
    counts = result.manifest["counts"]
    print(
        f"{counts['trajectories']:,} trajectories, {counts['verdicts']:,} verdicts,"
        f" {counts['quarantined_rows']:,} unreadable rows; written to {job.output}"
    )
    for item in result.manifest["never_seen_tools"]:
        print(f"never seen: no trajectory called {item['tool']!r} (check {item['spec_index']})")
    return OK


def _runner_options(flags: Sequence[str]) -> dict[str, Any]:
    """Runner options after `--` by name: `--name=value`, `--name value` or the bare `--name`."""
    options: dict[str, Any] = {}
    at = 0
    while at < len(flags):
        if not flags[at].startswith("--"):
            raise invalid(flags[at], "runner options are flags, such as --runner=FlinkRunner")
        name, equals, value = flags[at].removeprefix("--").partition("=")
        at += 1
        if not equals and at < len(flags) and not flags[at].startswith("--"):
            value, equals = flags[at], "="
            at += 1
        item: Any = value if equals else True
        if name in options:
            earlier = options[name]
            item = [*earlier, item] if isinstance(earlier, list) else [earlier, item]
        options[name] = item
    return options


def _validate(options: argparse.Namespace) -> int:
    from pipeline.specs.load import load_spec, spec_warnings  # noqa: PLC0415  (checks needs no YAML)

    failures: list[InvalidError] = []
    for path in options.spec:
        try:
            spec = load_spec(path, _parameters(options))
        except InvalidError as error:
            failures.append(error)
            continue
        print(f"{path}: {len(spec.entries)} checks, good ({spec.dialect.name} dialect)")
        for warning in spec_warnings(spec):
            print(f"{path}: warning: {warning}")
        if options.verbose:
            for ignored in spec.dialect.ignored:
                print(f"{path}: not used, only concerns running agents: {ignored}")
    if failures:
        raise InvalidError([problem for failure in failures for problem in failure.problems])
    return OK


def _lint(options: argparse.Namespace) -> int:
    from pipeline.job import check_columns  # noqa: PLC0415  (no other command needs them)
    from pipeline.lint import lint_sample, lint_spec  # noqa: PLC0415
    from pipeline.sources.records import ColumnMap  # noqa: PLC0415
    from pipeline.specs.load import load_specs  # noqa: PLC0415

    specs = load_specs(options.spec, _parameters(options))
    findings = [finding for spec in specs for finding in lint_spec(spec)]
    if options.data:
        mapping = parse_columns(options.columns) if options.columns else {}
        check_columns(mapping)
        sample = lint_sample(specs, options.data, ColumnMap(tuple(mapping.items())), options.sample)
        findings += sample.findings
        print(sample.estimate)
    for finding in findings:
        print(finding)
    print(f"{len(findings)} finding(s)")
    return OK


def _convert(options: argparse.Namespace) -> int:
    from pipeline.specs.convert import to_native  # noqa: PLC0415  (no other command needs it)
    from pipeline.specs.load import load_spec  # noqa: PLC0415

    print(to_native(load_spec(options.spec, _parameters(options))), end="")
    return OK


def _checks(options: argparse.Namespace) -> int:
    from pipeline.specs.schema import summary  # noqa: PLC0415  (no other command needs it)

    types = check_types()
    if options.json:
        listed = [
            {
                "type": name,
                "summary": summary(check_type).removeprefix("Pass when ").rstrip("."),
                "taxonomy": dataclasses.asdict(check_type.taxonomy),
                "schema": check_type.model_json_schema(by_alias=True),
            }
            for name, check_type in types.items()
        ]
        print(json.dumps(listed, indent=2, ensure_ascii=False))
        return OK
    table = Table(header_style="bold")
    for title in ("type", "taxonomy", "passes when"):
        table.add_column(title, overflow="fold")
    for name, check_type in types.items():
        table.add_row(
            name, str(check_type.taxonomy), summary(check_type).removeprefix("Pass when ").rstrip(".")
        )
    Console().print(table)
    return OK
