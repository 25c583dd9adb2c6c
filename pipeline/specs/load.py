"""Spec files to lists of check entries, in whichever of the three dialects they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graders.parameters import patterns_in
from graders.patterns import compile_pattern
from graders.values import json_text
from pipeline import files
from pipeline.errors import InvalidError, Problem, invalid
from pipeline.specs.guild import load_guild
from pipeline.specs.loaded import Dialect, LoadedSpec
from pipeline.specs.native import load_native
from pipeline.specs.vally import load_vally
from pipeline.specs.yaml_reader import Document, read_document


def load_spec(path: str, parameters: Mapping[str, str] | None = None, first_index: int = 0) -> LoadedSpec:
    """Read one spec file, local or on any file system that Beam knows.

    Args:
        path: the file.
        parameters: values of the parameters of a Vally eval.
        first_index: the spec index of its first check.

    Raises:
        InvalidError: the file cannot be read, or holds mistakes; all of them are named.
    """
    document = read_document(path, files.read_bytes(path, "spec"))
    dialect = _load(document, parameters or {}, first_index)
    return LoadedSpec(path, document.value.get("name"), document.text, dialect)


def load_specs(paths: Sequence[str], parameters: Mapping[str, str] | None = None) -> list[LoadedSpec]:
    """Read spec files, whose spec indexes continue from one to the next.

    Raises:
        InvalidError: with the problems of all files.
    """
    specs: list[LoadedSpec] = []
    problems: list[Problem] = []
    first = 0
    for path in paths:
        try:
            specs.append(load_spec(path, parameters, first))
        except InvalidError as error:
            problems += error.problems
        else:
            first += len(specs[-1].entries)
    if problems:
        raise InvalidError(problems)
    return specs


def _load(document: Document, parameters: Mapping[str, str], first_index: int) -> Dialect:
    """Read a document in the dialect that its keys tell."""
    top = document.value
    if not isinstance(top, dict):
        raise InvalidError([document.problem((), "a spec is a mapping with the keys version and checks")])
    if "stimuli" in top:
        return load_vally(document, parameters, first_index)
    if parameters:
        raise invalid(document.file, "only a Vally eval takes parameters; this is none")
    if "version" in top:
        return load_native(document, first_index)
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
    warnings: list[str] = []
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
