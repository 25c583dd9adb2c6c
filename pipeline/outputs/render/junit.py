"""The report as JUnit XML, which every build server reads: a suite per spec, a case per check.

A required check that some trajectory failed is a failure, one that crashed on some an error, and
one that decided nothing is skipped. Limits of gates are cases of a suite of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from pipeline.outputs.examples import Example, Examples
from pipeline.outputs.render.gates import limit_title
from pipeline.outputs.render.table import check_name, interval, percent, reasons
from pipeline.outputs.visible_text import visible, visible_line
from pipeline.plurals import counted

Row = Mapping[str, Any]

_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def junit_report(manifest: Row, records: Sequence[Row], examples: Examples) -> bytes:
    """The file `junit.xml` of a run; the same tables give the same bytes.

    Args:
        manifest: the manifest of the run.
        records: the rows of its summary.
        examples: verdicts that did not pass; those that failed are listed.
    """
    root = ElementTree.Element("testsuites", name="gradebeam")
    rows = {row["spec_index"]: row for row in records if not row["slice_key"]}
    for number, spec in enumerate(manifest["specs"]):
        suite = ElementTree.SubElement(root, "testsuite", name=visible_line(spec["name"] or spec["file"]))
        for check in manifest["checks"]:
            if check["spec"] == number:
                _add_check(suite, rows[check["spec_index"]], examples.get((check["spec_index"], "fail"), []))
    if gates := manifest.get("gates"):
        suite = ElementTree.SubElement(root, "testsuite", name="gates")
        for gate in gates:
            _add_gate(suite, gate)
    for element in (*root, root):
        _count(element)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _add_check(suite: ElementTree.Element, row: Row, failed: Sequence[Example]) -> None:
    name = f"{row['spec_index']} {check_name(row)}"
    case = ElementTree.SubElement(
        suite, "testcase", name=visible_line(name), classname=visible_line(row["check_type"])
    )
    rate = f"{percent(row['pass_rate'])} ({interval(row)}) passed"
    counts = f"{row['passed']:,} passed, {row['failed']:,} failed, {row['abstained']:,} abstained"
    if crashed := row["abstain_reasons"].get("CHECK_CRASHED", 0):
        _add(case, "error", "CHECK_CRASHED", f"the check crashed on {counted(crashed, 'run')}; see the log")
    if row["failed"] and not row["advisory"]:
        listed = "".join(
            f"\n{visible_line(f'{example.trajectory_id}: {example.evidence}')}" for example in failed
        )
        _add(case, "failure", row["check_type"], f"{counted(row['failed'], 'run')} failed: {rate}", listed)
    elif not len(case) and row["pass_rate"] is None:
        _add(case, "skipped", "undecided", f"no run was decided: {reasons(row) or 'none is concerned'}")
    ElementTree.SubElement(case, "system-out").text = visible(
        f"{counts}{' (advisory)' if row['advisory'] else ''}"
    )


def _add_gate(suite: ElementTree.Element, gate: Row) -> None:
    name = f"{limit_title(gate)}, {gate['over']}"
    case = ElementTree.SubElement(suite, "testcase", name=visible_line(name), classname="gate")
    if not gate["is_met"]:
        _add(case, "failure", gate["condition"], gate["reason"])


def _add(case: ElementTree.Element, kind: str, type_: str, message: str, text: str = "") -> None:
    ElementTree.SubElement(
        case, kind, type=visible_line(type_), message=visible_line(message)
    ).text = visible(text)


def _count(element: ElementTree.Element) -> None:
    """Set the counts of a suite, or of all suites."""
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for kind, attribute in _COUNTED.items():
        if element.tag == "testsuite" or kind != "skipped":
            element.set(attribute, str(sum(case.find(kind) is not None for case in cases)))
