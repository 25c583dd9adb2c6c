"""Spec files to lists of check entries, in whichever of the three dialects they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graders.parameters import patterns_in
from graders.patterns import compile_pattern
from graders.values import json_text
from pipeline import files
from pipeline.errors import InvalidError, Problem, invalid, nearest
from pipeline.specs.guild import load_guild
from pipeline.specs.loaded import Dialect, LoadedSpec
from pipeline.specs.native import load_native
from pipeline.specs.parameters import parameter_names
from pipeline.specs.vally import load_vally
from pipeline.specs.yaml_reader import Document, scan_document


def load_spec(path: str, parameters: Mapping[str, str] | None = None) -> LoadedSpec:
    """Read one spec file, local or on any file system that Beam knows.

    Args:
        path: the file.
        parameters: values of the parameters of a Vally eval.

    Raises:
        InvalidError: the file cannot be read, or holds mistakes; all of them are named.
    """
    return load_specs([path], parameters)[0]


def load_specs(paths: Sequence[str], parameters: Mapping[str, str] | None = None) -> list[LoadedSpec]:
    """Read spec files, whose spec indexes continue from one to the next.

    Raises:
        InvalidError: with the problems of all files.
    """
    specs, problems = read_specs(paths, parameters)
    if problems:
        raise InvalidError(problems)
    return specs


def read_specs(
    paths: Sequence[str], parameters: Mapping[str, str] | None = None
) -> tuple[list[LoadedSpec], list[Problem]]:
    """The specs that are good, and the problems of the others and of all together."""
    given = parameters or {}
    specs: list[LoadedSpec] = []
    problems: list[Problem] = []
    names: set[str] = set()
    first, are_read = 0, True
    for path in paths:
        try:
            document = scan_document(path, files.read_bytes(path, "spec"))
        except InvalidError as error:
            problems += error.problems
            are_read = False
            continue
        try:
            if _is_vally(document.value):
                names |= parameter_names(document.value)
            dialect = _load(document, given, first, len(specs))
        except InvalidError as error:
            problems += error.problems
        else:
            specs.append(LoadedSpec(path, document.value.get("name"), document.text, dialect))
            first += len(dialect.entries)
    if are_read:
        problems += _unknown_parameters(given, names)
    problems += _other_references(specs)
    return specs, problems


def _unknown_parameters(given: Mapping[str, str], names: set[str]) -> list[Problem]:
    hint = "" if names else "; only a Vally eval takes parameters"
    return [
        Problem(f"--param {name}", "", f"no spec has such a parameter{nearest(name, names)}{hint}")
        for name in given
        if name not in names
    ]


def _other_references(specs: Sequence[LoadedSpec]) -> list[Problem]:
    """Where specs differ on a sample: a record takes its reference once, for the checks of all."""
    problems: list[Problem] = []
    seen: dict[str, tuple[str, str]] = {}
    for spec in specs:
        for sample, text in spec.dialect.references.items():
            file, first = seen.setdefault(sample, (spec.file, text))
            if first != text:
                message = f"{file} has another reference for the sample {sample!r}; grade them one by one"
                problems.append(Problem(spec.file, "samples", message))
    return problems


def _is_vally(top: Any) -> bool:
    return isinstance(top, dict) and "stimuli" in top


def _load(document: Document, parameters: Mapping[str, str], first_index: int, number: int) -> Dialect:
    """Read a document in the dialect that its keys tell."""
    top = document.value
    if not isinstance(top, dict):
        raise InvalidError(
            [*document.problems, document.problem((), "a spec is a mapping with the keys version and checks")]
        )
    if _is_vally(top):
        return load_vally(document, parameters, first_index)
    if "version" in top:
        return load_native(document, first_index, number)
    if "checks" in top:
        return load_guild(document, first_index)
    if "suites" in top or "environments" in top:
        raise invalid(document.file, "a Vally project file; give its eval files instead, one --spec each")
    raise InvalidError(
        [
            document.problem(
                (),
                "no dialect has these keys: a native spec begins with version: 1, a Vally eval has"
                " stimuli, a Guild evaluation has checks",
            )
        ]
    )


def spec_warnings(spec: LoadedSpec) -> list[str]:
    """What `validate` warns of: legal, but rarely meant."""
    warnings = list(spec.dialect.warnings)
    for entry in spec.entries:
        name = f" ({entry.name})" if entry.name else ""
        found = [
            *entry.check.warnings(),
            *(
                f"{path}: {json_text(source)} needs the slow engine, 1 s per text at most"
                for path, source in patterns_in(entry.check)
                if compile_pattern(source).is_bounded
            ),
        ]
        warnings += [f"checks[{entry.spec_index}]{name} {entry.check_type}: {warning}" for warning in found]
    return warnings
