"""Lint: each finding on a spec that has it, and none on one that has not."""

from __future__ import annotations

import pathlib
import textwrap

import pytest

from pipeline.lint.finding import FINDINGS
from pipeline.lint.specs import lint_spec
from pipeline.specs.load import load_spec
from tests.pipeline.conftest import ROWS, Command
from tests.record_files import write_avro, write_parquet

GOOD = "  - {type: hasToolCall, config: {tool: find}}\n"


def codes(tmp_path: pathlib.Path, checks: str, head: str = "version: 1") -> list[str]:
    file = tmp_path / "spec.yaml"
    file.write_text(f"{head}\nchecks:\n{checks}", encoding="utf-8")
    return [finding.code for finding in lint_spec(load_spec(str(file)))]


def echo(pattern: str) -> str:
    return f"{{type: assistant-contains-tool-output, config: {{tools: [t], pattern: {pattern}}}}}"


def search(pattern: str) -> str:
    return f"{{type: output-matches, config: {{pattern: {pattern}}}}}"


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (search('"\\bdone"'), "backspace"),
        (search("'^done|finished'"), "anchored-alternation"),
        (search("'done|finished$'"), "anchored-alternation"),
        (search("'^done|finished$'"), "anchored-alternation"),
        (search("'(?i)^done|finished'"), "anchored-alternation"),
        (search("'x*'"), "matches-empty"),
        (search("'^x*$'"), "matches-empty"),
        (search("'(?:a|b)?'"), "matches-empty"),
        ("{type: tool-calls, config: {required: [{name: find, args: {q: '.*'}}]}}", "matches-empty"),
        (search("'(?<=x)y'"), "slow-pattern"),
        (search("'(a)\\1'"), "slow-pattern"),
        (echo("'a=(x)|b=(y)'"), "capture-in-branch"),
        (echo("'a=(x)|b'"), "capture-in-branch"),
        ("{type: hasToolCall, name: again, config: {tool: find}}", "duplicate-check"),
        ("{type: hasToolCall, advisory: true, weight: 2, config: {tool: find}}", "duplicate-check"),
    ],
)
def test_findings_on_one_check(tmp_path: pathlib.Path, check: str, code: str) -> None:
    assert codes(tmp_path, f"{GOOD}  - {check}\n") == [code]


@pytest.mark.parametrize(
    "check",
    [
        search("'\\bdone'"),
        search('"\\\\bdone"'),
        search("'^(?:done|finished)$'"),
        search("'done|finished'"),
        search("'^done$|^finished$'"),
        search("'^$|finished'"),
        search("'cost: 5\\$|free'"),
        search("'free|cost: 5\\$'"),
        search("'[$^|]x'"),
        search("'^$'"),
        search("'x+'"),
        search("'(?i)done'"),
        echo("'a=(x|y)'"),
        echo("'(?:a|b)=(y)'"),
        echo("'x|y'"),
        echo("'x|(?:y)z|\\(|[(]'"),
        "{type: tool-calls, config: {required: ['read|write']}}",
        "{type: hasToolCall, turn: 1, config: {tool: find}}",
        "{type: hasToolCall, samples: [a], config: {tool: find}}",
        "{type: hasToolCall, negate: true, config: {tool: find}}",
        "{type: all-of, config: {checks: [{type: exit-success}]}}\n  - {type: all-of, config: {checks: [{type: completed}]}}",
        "{type: outputMatches, config: {value: '1'}}\n  - {type: outputMatches, config: {value: 'true'}}",
    ],
)
def test_no_finding(tmp_path: pathlib.Path, check: str) -> None:
    assert codes(tmp_path, f"{GOOD}  - {check}\n") == []


def test_a_finding_tells_where_and_how_to_mend_it(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "spec.yaml"
    checks = "- {type: any-of, config: {checks: [{type: output-matches, config: {pattern: '(?i)^a|b\\$'}}]}}"
    file.write_text(f"version: 1\nchecks:\n{checks}\n")
    (finding,) = lint_spec(load_spec(str(file)))
    assert str(finding) == (
        f"{file}:3: checks[0].config.checks[0].config.pattern: anchored-alternation:"
        ' in "(?i)^a|b\\\\$" an anchor holds for one branch; write "(?i)^(?:a|b\\\\$)"'
    )
    file.write_text('{"checks": [{"type": "output-matches", "pattern": "x*"}]}')
    (finding,) = lint_spec(load_spec(str(file)))
    assert finding.place == f"{file}:1: checks[0].pattern"


def test_negative_only(tmp_path: pathlib.Path) -> None:
    absences = textwrap.indent(
        "- {type: tool-calls, config: {disallowed: [rm]}}\n"
        "- {type: hasToolCall, negate: true, config: {tool: rm}}\n"
        "- {type: tool-call-count, config: {max: 3}}\n",
        "  ",
    )
    assert codes(tmp_path, absences) == ["negative-only"]
    assert codes(tmp_path, absences + GOOD) == []


def test_negative_only_for_some_samples(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "eval.yaml"
    text = """
    stimuli:
      - {name: a, graders: [{type: completed}]}
      - {name: b, graders: [{type: error-count, config: {max: 0}}]}
    """
    file.write_text(textwrap.dedent(text))
    (finding,) = lint_spec(load_spec(str(file)))
    assert (finding.place, finding.code) == (f"{file}:4: stimuli[1].graders[0]", "negative-only")
    file.write_text(textwrap.dedent(text) + "graders: [{type: exit-success}]\n")
    assert lint_spec(load_spec(str(file))) == []


@pytest.mark.parametrize(
    ("threshold", "weights", "found"),
    [
        (0.9, [1, 9], 1),
        (0.95, [1, 9], 0),
        (0.75, [1, 1, 1, 1], 0),  # One alone may fail, two may not.
        (0, [1, 1], 2),
        (1, [1, 100], 0),
        (0.7, [0.1, 0.1, 0.8], 2),
        (0.9, [0.1, 0.9], 1),  # 1 - 0.1 is 0.9 exactly.
        (0.5, [3, 3, 1], 0),
        (0.55, [3, 3, 3, 1], 1),
        (0.5, [1], 0),
    ],
)
def test_never_gates_by_weight_and_threshold(
    tmp_path: pathlib.Path, threshold: float, weights: list[float], found: int
) -> None:
    checks = [
        f"  - {{type: outputMatches, weight: {weight}, config: {{value: v{at}}}}}\n"
        for at, weight in enumerate(weights)
    ]
    head = f"version: 1\nscoring: {{threshold: {threshold}}}"
    assert codes(tmp_path, "".join(checks), head) == ["never-gates"] * found


def test_never_gates_goes_by_what_meets_on_a_sample(tmp_path: pathlib.Path) -> None:
    head = "version: 1\nscoring: {threshold: 0.5}"
    other = "  - {type: completed, weight: 9, samples: [b]}\n"
    assert codes(tmp_path, GOOD.replace("}}", "}, samples: [a]}") + other, head) == []
    assert codes(tmp_path, GOOD + other, head) == []  # Where the other one is not, it decides.
    assert codes(tmp_path, GOOD.replace("}}", "}, samples: [b]}") + other, head) == ["never-gates"]


def test_never_gates_when_all_are_advisory(tmp_path: pathlib.Path) -> None:
    assert codes(tmp_path, "  - {type: completed, advisory: true}\n") == ["never-gates"]


SAMPLED = """
version: 1
checks:
  - {type: hasToolCall, config: {tool: svae}}
  - {type: outputMatches, config: {value: done}}
  - {type: token-budget, config: {max: 10}}
  - {type: completed, samples: [S0]}
  - {type: hasToolCall, config: {tool: save}}
  - {type: llmJudge, config: {rubric: is kind}}
  - {type: panel, samples: [s1], config: {prompt: is kind, judges: [a, b]}}
"""


def test_a_sample_shows_more(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "lint.yaml").write_text(SAMPLED)
    done = gradebeam("lint", "lint.yaml", "--data", "runs", "--sample", "4")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("6 of 6 trajectories took")
    assert lines[0].endswith("in one process, and at most 12 judge calls")
    assert lines[1:] == [
        "lint.yaml:4: checks[0]: unknown-tool: no trajectory used 'svae' (did you mean 'save'?); check the spelling",
        "lint.yaml:6: checks[2]: always-abstains: abstained on all 6: MISSING_DATA 6 (the records lack what it reads)",
        "lint.yaml:7: checks[3]: concerns-none: no trajectory has such a sample or such tags (did you mean 's0'?); check their spelling",
        "3 findings",
    ]


@pytest.mark.parametrize(("copies", "is_told"), [(4, False), (5, True)])
def test_always_passing_is_told_of_thirty_runs_and_more(
    work: pathlib.Path, gradebeam: Command, copies: int, is_told: bool
) -> None:
    (work / "lint.yaml").write_text("version: 1\nchecks:\n  - {type: output-length, config: {max: 9}}\n")
    write_parquet(work / "many" / "a.parquet", [{**row, "output": "done"} for row in ROWS * copies])
    done = gradebeam("lint", "lint.yaml", "--data", "many")
    assert ("always-passes: passed on all 30; ask for more, or drop it" in done.out) == is_told
    assert done.out.endswith(f"\n{'2 findings' if is_told else '1 finding'}\n")  # Its spec is negative-only.


def test_what_all_will_take_is_told_by_extrapolation(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "lint.yaml").write_text(SAMPLED)
    for number in range(1, 4):
        write_parquet(work / "runs" / f"b{number}.parquet", ROWS)
    done = gradebeam("lint", "lint.yaml", "--data", "runs", "--sample", "1")
    assert done.out.startswith("6 of 24 trajectories took")
    assert "at most 48 judge calls" in done.out.splitlines()[0]


def test_where_only_reading_tells_the_rows_they_are_told_by_bytes(
    work: pathlib.Path, gradebeam: Command
) -> None:
    for number in range(4):
        write_avro(work / "avro" / f"{number}.avro", ROWS)
    done = gradebeam("lint", "spec.yaml", "--data", "avro", "--sample", "1")
    assert done.out.startswith("6 of about 24 trajectories took")
    assert done.out.splitlines()[0].endswith("and no judge calls")


def test_findings_end_with_1_only_where_that_is_asked_for(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "good.yaml").write_text(f"version: 1\nchecks:\n{GOOD}")
    (work / "bad.yaml").write_text(f"version: 1\nchecks:\n{GOOD}{GOOD}")
    assert [gradebeam("lint", file).code for file in ("good.yaml", "bad.yaml")] == [0, 0]
    assert [gradebeam("lint", "--strict", file).code for file in ("good.yaml", "bad.yaml")] == [0, 1]
    assert gradebeam("lint", "bad.yaml", "--data", "runs", "--sample", "0").code == 2


def test_our_own_specs_are_clean(gradebeam: Command) -> None:
    specs = sorted((pathlib.Path(__file__).parents[2] / "configs" / "specs").glob("*.yaml"))
    assert specs
    assert gradebeam("lint", "--strict", *specs).out == "0 findings\n"


def test_every_code_is_documented() -> None:
    text = (pathlib.Path(__file__).parents[2] / "configs" / "README.md").read_text(encoding="utf-8")
    assert [code for code in FINDINGS if f"`{code}`" not in text] == []
