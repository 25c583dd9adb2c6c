"""The JSON Schemas: they take what the loader takes, and our own YAML names them and meets them."""

import json
import pathlib

import jsonschema
import pytest

from pipeline.specs.yaml_reader import read_document
from tests.case_files import all_cases

CONFIGS = pathlib.Path(__file__).parents[2] / "configs"


def schema(name: str) -> dict:
    return json.loads((CONFIGS / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))


def errors(name: str, value: object) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema(name))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize("name", ["spec", "job"])
def test_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(("spec", path) for path in sorted(CONFIGS.glob("specs/*.yaml"))),
        *(("job", path) for path in sorted(CONFIGS.glob("jobs/*.yaml"))),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_our_files_name_their_schema_and_meet_it(name: str, path: pathlib.Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema=../schema/{name}.schema.json"
    assert errors(name, read_document(path.name, path.read_bytes()).value) == []


def test_every_case_meets_the_schema() -> None:
    entries = [case.entry() for case in all_cases()]
    assert errors("spec", {"version": 1, "checks": entries}) == []


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "outputMatch", "config": {"value": "x"}},
        {"type": "outputMatches", "config": {"vaule": "x"}},
        {"type": "outputMatches", "config": {"value": 5}},
        {"type": "hasToolCall"},
        {"type": "hasToolCall", "config": {"tool": "t"}, "trun": 1},
        {"type": "tool-calls", "config": {"required": []}},
        {"type": "output-contains", "config": {"substring": "a", "value": "b"}},
        {"type": "all-of", "config": {"checks": [{"type": "completed", "turn": 1}]}},
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(entry: dict) -> None:
    assert errors("spec", {"version": 1, "checks": [entry]})
