"""Lint: each finding on a spec that has it, and none on one that has not."""

from __future__ import annotations

import pathlib
import textwrap

import pytest

from pipeline.lint import FINDINGS, lint_spec
from pipeline.specs.load import load_spec
from tests.pipeline.conftest import Command

GOOD = "  - {type: hasToolCall, config: {tool: find}}\n"


def codes(tmp_path: pathlib.Path, checks: str, head: str = "version: 1") -> list[str]:
    file = tmp_path / "spec.yaml"
    file.write_text(f"{head}\nchecks:\n{checks}", encoding="utf-8")
    return [finding.code for finding in lint_spec(load_spec(str(file)))]


@pytest.mark.parametrize(
    ("check", "code"),
    [
        ('{type: output-matches, config: {pattern: "\\bdone"}}', "backspace"),
        ("{type: output-matches, config: {pattern: '^done|finished'}}", "anchored-alternation"),
        ("{type: output-matches, config: {pattern: 'done|finished$'}}", "anchored-alternation"),
        ("{type: output-matches, config: {pattern: 'x*'}}", "matches-empty"),
        ("{type: output-matches, config: {pattern: '(?<=x)y'}}", "slow-pattern"),
        (
            "{type: assistant-contains-tool-output, config: {tools: [t], pattern: 'a=(x)|b=(y)'}}",
            "capture-in-branch",
        ),
        ("{type: hasToolCall, name: again, config: {tool: find}}", "duplicate-check"),
    ],
)
def test_findings_on_one_check(tmp_path: pathlib.Path, check: str, code: str) -> None:
    assert codes(tmp_path, f"{GOOD}  - {check}\n") == [code]


@pytest.mark.parametrize(
    "check",
    [
        "{type: output-matches, config: {pattern: '\\bdone'}}",
        "{type: output-matches, config: {pattern: '^(?:done|finished)$'}}",
        "{type: output-matches, config: {pattern: 'done|finished'}}",
        "{type: output-matches, config: {pattern: 'x+'}}",
        "{type: tool-calls, config: {required: ['read|write']}}",
        "{type: hasToolCall, turn: 1, config: {tool: find}}",
    ],
)
def test_no_finding(tmp_path: pathlib.Path, check: str) -> None:
    assert codes(tmp_path, f"{GOOD}  - {check}\n") == []


def test_negative_only(tmp_path: pathlib.Path) -> None:
    absences = textwrap.indent(
        "- {type: tool-calls, config: {disallowed: [rm]}}\n"
        "- {type: hasToolCall, negate: true, config: {tool: rm}}\n"
        "- {type: tool-call-count, config: {max: 3}}\n",
        "  ",
    )
    assert codes(tmp_path, absences) == ["negative-only"]
    assert codes(tmp_path, absences + GOOD) == []


def test_never_gates_by_weight_and_threshold(tmp_path: pathlib.Path) -> None:
    checks = f"{GOOD}  - {{type: completed, weight: 9}}\n"
    assert codes(tmp_path, checks, "version: 1\nscoring: {threshold: 0.9}") == ["never-gates"]
    assert codes(tmp_path, checks, "version: 1\nscoring: {threshold: 0.95}") == []


def test_never_gates_when_all_are_advisory(tmp_path: pathlib.Path) -> None:
    assert codes(tmp_path, "  - {type: completed, advisory: true}\n") == ["never-gates"]


def test_a_sample_shows_more(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "lint.yaml").write_text(
        textwrap.dedent(
            """
            version: 1
            checks:
              - {type: hasToolCall, config: {tool: svae}}
              - {type: outputMatches, config: {value: done}}
              - {type: token-budget, config: {max: 10}}
              - {type: completed, samples: [nobody]}
              - {type: hasToolCall, config: {tool: save}}
            """
        )
    )
    done = gradebeam("lint", "lint.yaml", "--data", "runs", "--sample", "4")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("6 of 6 trajectories took")
    assert lines[1:] == [
        "lint.yaml:4: checks[0]: unknown-tool: no trajectory used 'svae' (did you mean 'save'?); check the spelling",
        "lint.yaml:5: checks[1]: always-passes: passed on all 6; does it test anything?",
        "lint.yaml:6: checks[2]: always-abstains: abstained on all 6: MISSING_DATA 6",
        "lint.yaml:7: checks[3]: concerns-none: no trajectory has such a sample or such tags",
        "4 finding(s)",
    ]


def test_every_code_is_documented() -> None:
    source = pathlib.Path(lint_spec.__code__.co_filename).read_text(encoding="utf-8")
    assert all(source.count(f'"{code}"') > 1 for code in FINDINGS)
