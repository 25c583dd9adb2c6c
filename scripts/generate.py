"""Write the files that follow from the code: the catalogue of checks and the JSON Schemas.

    scripts/generate.py            write them
    scripts/generate.py --check    say which are not as they would be written; exit 1 if any

Run with the environment of the project, from anywhere.
"""

from __future__ import annotations

import inspect
import json
import pathlib
import sys
from collections.abc import Mapping
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # The cases are not installed.

from graders.catalog import check_types  # noqa: E402
from graders.check import BaseCheck  # noqa: E402
from graders.outcome import Outcome  # noqa: E402
from pipeline.job import JobConfig  # noqa: E402
from pipeline.specs.schema import spec_schema, summary  # noqa: E402
from tests.case_files import Case, all_cases  # noqa: E402

_NOTE = "Written by scripts/generate.py; do not edit."
_KEYS_OF_EXAMPLES = ("type", "turn", "tags", "negate", "config")


def generated_files() -> dict[str, str]:
    """The generated files by their path from the root."""
    return {
        "graders/README.md": _catalogue(),
        "configs/schema/spec.schema.json": _json(spec_schema()),
        "configs/schema/job.schema.json": _json(JobConfig.model_json_schema()),
    }


def _json(schema: Mapping[str, Any]) -> str:
    return json.dumps({"$comment": _NOTE, **schema}, indent=2, ensure_ascii=False) + "\n"


def _catalogue() -> str:
    types = {
        name: check_type
        for name, check_type in check_types().items()
        if check_type.__module__.startswith("graders.")
    }
    examples = _examples()
    lines = [
        f"<!-- {_NOTE} -->",
        "",
        "# The catalogue of checks",
        "",
        f"{len(types)} check types. Each says when it passes, fails and abstains; beyond that the rules",
        "hold that hold for every check: a run that never happened, missing events, negation, nothing",
        "observed. The taxonomy is determinism · cost · reference · temporal scope · score kind.",
        "",
        "| type | passes when | taxonomy |",
        "|---|---|---|",
    ]
    for name, check_type in types.items():
        passes = summary(check_type).removeprefix("Pass when ").rstrip(".")
        lines.append(f"| [{name}](#{name.lower()}) | {_cell(passes)} | {check_type.taxonomy} |")
    for name, check_type in types.items():
        lines += ["", f"## {name}", "", *_section(check_type, examples.get(name, []))]
    return "\n".join(lines) + "\n"


def _section(check_type: type[BaseCheck], cases: list[Case]) -> list[str]:
    module = inspect.getmodule(check_type)
    text = inspect.getdoc(module) or ""
    lines = [*_meaning(text.split("\n\n", 1)[1]), f"Taxonomy: {check_type.taxonomy}.", ""]
    lines += _parameters(check_type)
    for outcome in Outcome:
        for case in cases:
            if case.expectations[0].outcome == outcome.label:
                lines += _example(case, outcome)
                break
    return lines


def _meaning(text: str) -> list[str]:
    """The docstring of a check with an item each for when it passes, fails and abstains."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(("Passes", "Fails", "Abstains")):
            lines.append(f"- {line}")
        elif lines and lines[-1] and line:
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return [*lines, ""]


def _parameters(check_type: type[BaseCheck]) -> list[str]:
    schema = check_type.model_json_schema(by_alias=True)
    properties = schema.get("properties", {})
    if not properties:
        return ["No parameters.", ""]
    lines = ["| parameter | | meaning |", "|---|---|---|"]
    for name, field in properties.items():
        if name in schema.get("required", []):
            status = "required"
        else:
            default = field.get("default")
            status = "" if default is None or default == [] else f"default `{json.dumps(default)}`"
        lines.append(f"| `{name}` | {status} | {_cell(_parameter_meaning(field))} |")
    for entry in schema.get("$defs", {}).values():
        keys = {
            name: key["description"]
            for name, key in entry.get("properties", {}).items()
            if "description" in key
        }
        if keys:
            lines += ["", f"{entry['description']}", ""]
            lines += [f"- `{name}`: {meaning}" for name, meaning in keys.items()]
    return [*lines, ""]


def _parameter_meaning(field: Mapping[str, Any]) -> str:
    """What a parameter means, and its values where they are few."""
    branches = [field, *field.get("anyOf", [])]
    meaning = next((branch["description"] for branch in branches if "description" in branch), "")
    values = ", ".join(f"`{value}`" for branch in branches for value in branch.get("enum", []))
    return " ".join(filter(None, (meaning, f"One of {values}." if values else "")))


def _example(case: Case, outcome: Outcome) -> list[str]:
    check = {key: case.check[key] for key in _KEYS_OF_EXAMPLES if key in case.check}
    expected = case.expectations[0]
    verdict = outcome.label + (f", {expected.code}" if expected.code else "")
    return [
        f"*{verdict}*: {_sentence(case.why)}",
        "",
        "```yaml",
        f"- {json.dumps(check, ensure_ascii=False)}",
        "```",
        "",
    ]


def _sentence(why: str) -> str:
    """The reason of a case without its pointer to a section."""
    return why.split(" (section", maxsplit=1)[0].rstrip(".") + "."


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _examples() -> dict[str, list[Case]]:
    """The cases of each type that are examples: those on one record."""
    examples: dict[str, list[Case]] = {}
    for case in all_cases():
        if case.record is not None:
            examples.setdefault(case.check_type, []).append(case)
    return examples


def main(arguments: list[str]) -> int:
    """Write the files, or check them."""
    stale = []
    for name, text in generated_files().items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                print(f"wrote {name}")
    if "--check" in arguments and stale:
        print(f"not as scripts/generate.py writes them: {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
