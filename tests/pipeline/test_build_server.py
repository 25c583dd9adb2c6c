"""What build servers read: JUnit XML of the form that they share, annotations, and Markdown."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from lxml import etree

from pipeline.outputs.examples import Example
from pipeline.outputs.render.annotations import github_annotations
from pipeline.outputs.render.junit import junit_report
from pipeline.outputs.render.markdown import escape
from pipeline.outputs.visible_text import visible_line
from tests.pipeline.conftest import ROWS, SPEC, Command
from tests.record_files import write_parquet

SCHEMA = etree.XMLSchema(file=pathlib.Path(__file__).parents[1] / "schemas" / "junit-10.xsd")

HOSTILE = 'a]]>\x00<b> & "q"\n100%, x:\ud800'


@pytest.fixture
def graded(work: pathlib.Path, gradebeam: Command) -> str:
    """What a run with annotations prints; one check fails, one is advisory, one passes, one decides nothing."""
    write_parquet(work / "runs" / "a.parquet", [*ROWS, {**ROWS[0], "trajectory_id": "<b>x</b> | `y`"}])
    checks = [
        {"type": "hasToolCall", "name": "saves, 100%: <always>", "config": {"tool": "save"}},
        {"type": "hasToolCall", "advisory": True, "config": {"tool": "never"}},
        {"type": "hasToolCall", "negate": True, "config": {"tool": "never"}},
        {"type": "token-budget", "config": {"max": 1}},
    ]
    (work / "spec.yaml").write_text(
        json.dumps({"version": 1, "name": "a <spec>", "checks": checks}, indent=1)
    )
    done = gradebeam(
        "run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", "--annotations", "github"
    )
    assert done.code == 0, done.err
    return done.out


def _read(document: bytes) -> Any:
    """The root of a document that is valid and counts its cases right."""
    root = etree.fromstring(document)
    SCHEMA.assertValid(root)
    for element in (root, *root.iter("testsuite")):
        cases = list(element.iter("testcase"))
        assert int(element.attrib["tests"]) == len(cases)
        assert int(element.attrib["failures"]) == sum(case.find("failure") is not None for case in cases)
        assert int(element.attrib["errors"]) == sum(case.find("error") is not None for case in cases)
    return root


def test_junit_has_a_suite_per_spec_and_a_case_per_check(graded: str, work: pathlib.Path) -> None:
    root = _read((work / "out" / "junit.xml").read_bytes())
    (suite,) = root
    assert suite.attrib["name"] == "a <spec>"
    states = [[child.tag for child in case if child.tag != "system-out"] for case in suite]
    assert states == [["failure"], [], [], ["skipped"]]
    failure = suite[0][0]
    assert failure.attrib["message"].startswith("4 runs failed: 42.9 %")
    assert "<b>x</b> | `y`: " in (failure.text or "")


def _tables(**changes: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    check = {"spec_index": 0, "spec": 0, "place": "s.yaml:7: checks[0]"}
    gate = {
        "name": HOSTILE,
        "condition": "min_total",
        "over": "all checks",
        "is_met": False,
        "reason": f"no data: {HOSTILE}",
        "place": "s.yaml:9",
    }
    row = {
        "spec_index": 0,
        "check_type": "hasToolCall",
        "check_name": HOSTILE,
        "slice_key": "",
        "passed": 1,
        "failed": 2,
        "abstained": 3,
        "abstain_reasons": {"CHECK_CRASHED": 3},
        "pass_rate": 1 / 3,
        "wilson_low": 0.1,
        "wilson_high": 0.5,
        "advisory": False,
        **changes,
    }
    return {"specs": [{"name": None, "file": "s.yaml"}], "checks": [check], "gates": [gate]}, [row]


def test_junit_takes_any_text_gates_and_crashes() -> None:
    examples = {(0, "fail"): [Example(0, HOSTILE, HOSTILE, -1, "", HOSTILE, -1, -1)]}
    root = _read(junit_report(*_tables(), examples))
    (check,), (gate,) = root
    assert [child.tag for child in check] == ["error", "failure", "system-out"]
    assert check.attrib["name"] == '0 a]]>\\u0000<b> & "q"\\n100%, x:\\ud800'
    assert gate.attrib["name"].endswith(" (min_total), all checks")
    assert gate[0].tag == "failure"
    assert gate[0].attrib["message"].startswith("no data: a]]>")


@pytest.fixture
def held(work: pathlib.Path, gradebeam: Command) -> str:
    """What a run prints of which two limits are met, one is missed in a slice, and one has no data."""
    gates = [
        {"name": "enough", "min_total": 6, "max_fail": 9},
        {"check": "saves", "slice": {"sample_id": "s0"}, "min_pass_rate": 0.654321},
        {"slice": {"sample_id": "s9"}, "max_fail": 0},
    ]
    (work / "spec.yaml").write_text(json.dumps({**SPEC, "gates": gates}, indent=1))
    flags = ("--slice", "sample_id", "--annotations", "github")
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", *flags)
    assert done.code == 1, done.err
    return done.out


def test_junit_has_a_case_per_limit(held: str, work: pathlib.Path) -> None:
    root = _read((work / "out" / "junit.xml").read_bytes())
    assert root[-1].attrib["name"] == "gates"
    found = {case.attrib["name"]: [child.attrib["message"] for child in case] for case in root[-1]}
    assert found == {
        "enough (min_total), all checks": [],
        "enough (max_fail), all checks": [],
        "min_pass_rate, check saves, sample_id = s0": [
            "0 of 3 decided verdicts passed (0 %); at least 65.4321 % wanted"
        ],
        "max_fail, all checks, sample_id = s9": ["no data: there are no verdicts"],
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"failure", b"failed"), (b"testcase", b"case"), (b" tests=", b" counted="), (b" name=", b" called=")],
)
def test_the_schema_refuses_what_is_no_junit(
    held: str, work: pathlib.Path, before: bytes, after: bytes
) -> None:
    document = (work / "out" / "junit.xml").read_bytes()
    assert before in document
    with pytest.raises(etree.DocumentInvalid):
        _read(document.replace(before, after))


def test_annotations_name_the_line_of_a_gate(held: str, work: pathlib.Path) -> None:
    lines = [line for line in held.splitlines() if line.startswith("::error")]
    gates = json.loads((work / "out" / "gates.json").read_text())["results"]
    at = [gate["place"].rpartition(":")[2] for gate in gates if not gate["is_met"]]
    missed = f"line={at[0]},title=gate min_pass_rate%2C check saves%2C sample_id = s0"
    empty = f"line={at[1]},title=gate max_fail%2C all checks%2C sample_id = s9"
    assert lines == [
        f"::error file=spec.yaml,{missed}::0 of 3 decided verdicts passed (0 %25); at least 65.4321 %25 wanted",
        f"::error file=spec.yaml,{empty}::no data: there are no verdicts",
    ]


def test_annotations_name_the_line_of_the_spec(graded: str) -> None:
    lines = [line for line in graded.splitlines() if line.startswith("::")]
    assert len(lines) == 2
    assert lines[0].startswith(
        "::warning file=spec.yaml,line=5,title=check 0 saves%2C 100%25%3A <always>::4 runs failed; 42.9 %25"
    )
    assert lines[1].startswith("::notice file=spec.yaml,line=12,title=check 1 hasToolCall::7 runs failed")


def test_annotations_escape_their_texts() -> None:
    lines = github_annotations(*_tables(check_name="a\nb: c, 9%"))
    assert lines[0].startswith("::warning file=s.yaml,line=7,title=check 0 a%0Ab%3A c%2C 9%25::2 runs")
    assert lines[1].startswith("::error file=s.yaml,line=9,title=gate a]]>")
    assert "(min_total)%2C all checks::no data: a]]>" in lines[1]
    assert all("\n" not in line for line in lines)


UNSEEN = "\x1b[2J\x9b \u202eexe.txt\u2066 \x00\r\n&#x202e;"
SHOWN = "\\u001b[2J\\u009b \\u202eexe.txt\\u2066 \\u0000"


def test_what_cannot_be_seen_is_shown_everywhere() -> None:
    manifest, rows = _tables(check_name=UNSEEN)
    manifest["gates"][0] |= {"name": UNSEEN, "reason": UNSEEN}
    examples = {(0, "fail"): [Example(0, UNSEEN, UNSEEN, -1, "", UNSEEN, -1, -1)]}
    (check,), (gate,) = _read(junit_report(manifest, rows, examples))
    assert check.attrib["name"] == f"0 {SHOWN}\\r\\n&#x202e;"
    assert check.find("failure").text == f"\n{SHOWN}\\r\\n&#x202e;: {SHOWN}\\r\\n&#x202e;"
    assert gate[0].attrib["message"] == f"{SHOWN}\\r\\n&#x202e;"
    for line in github_annotations(manifest, rows):
        assert SHOWN in line
        assert visible_line(line) == line
    # A reference to a character is none in Markdown, where it would turn the line round.
    assert escape(UNSEEN) == SHOWN.replace("\\", "\\\\").replace("[", "\\[") + r" \&\#x202e;"


def test_markdown_lists_the_first_failures(graded: str, work: pathlib.Path) -> None:
    report = (work / "out" / "report.md").read_text()
    assert "<summary>saves, 100%: &lt;always&gt; failed 4</summary>" in report
    listed = [line for line in report.splitlines() if "was never called" in line]
    assert 0 < len(listed) <= 6
    assert "<b>" not in report.replace("\\<b\\>", "")
