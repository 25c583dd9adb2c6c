"""The report of a run: which runs are on it, where their conversations come from, the same bytes each time."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
from typing import Any

import pytest

from pipeline.outputs import example_chooser as choosing
from pipeline.outputs import report as gathering
from pipeline.outputs.near_misses import difference
from tests.pipeline.conftest import Command, manifest
from tests.record_columns import Row
from tests.record_files import write_avro, write_jsonl, write_parquet

WRITERS = {"parquet": write_parquet, "avro": write_avro, "jsonl": write_jsonl}


def _rows(n: int) -> list[Row]:
    return [
        {
            "trajectory_id": f"run-{at:03}",
            "events": [
                {"type": "user_message", "content": f"question {at}"},
                {"type": "tool_call", "tool_name": "find", "arguments": json.dumps({"at": at})},
                {"type": "assistant_message", "content": "x" * (9000 if at == 1 else 1)},
            ],
        }
        for at in range(n)
    ]


@pytest.fixture
def graded(work: pathlib.Path, gradebeam: Command) -> pathlib.Path:
    """`out`, a run in which sixty runs fail both checks."""
    shutil.rmtree(work / "runs")
    write_parquet(work / "runs" / "a.parquet", _rows(60), row_group_size=7)
    (work / "spec.yaml").write_text(
        json.dumps(
            {
                "version": 1,
                "checks": [
                    {"type": "toolCallContains", "config": {"tool": "find", "arguments": {"at": -1}}},
                    {"type": "outputMatches", "config": {"value": "done"}},
                ],
            }
        )
    )
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out")
    assert done.code == 0, done.err
    return work / "out"


def _page(output: pathlib.Path) -> str:
    return (output / "report.html").read_text()


def _data(output: pathlib.Path) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', _page(output))
    return json.loads(text)


def _examples(output: pathlib.Path, check: int) -> list[str]:
    return re.findall(rf'data-check="{check}" data-trajectory="([^"]+)"', _page(output))


def test_some_of_many_failures_are_on_the_page_with_their_conversations(graded: pathlib.Path) -> None:
    shown = _examples(graded, 0)
    assert len(shown) == len(set(shown)) == 25
    assert _examples(graded, 1) == shown
    assert "A sample: 50 of 120 verdicts that did not pass" in _page(graded)
    assert set(_data(graded)["conversations"]) == set(shown)


def test_the_report_is_the_same_when_it_is_written_again(graded: pathlib.Path, gradebeam: Command) -> None:
    before = _page(graded)
    assert gradebeam("report", "out").code == 0
    assert _page(graded) == before
    assert gradebeam("report", "out", "--output", "else.html").code == 0
    assert pathlib.Path("else.html").read_text() == before


def test_the_comparison_of_a_run_is_on_its_page(graded: pathlib.Path, gradebeam: Command) -> None:
    assert 'id="changes"' not in _page(graded)
    flags = ("--spec", "spec.yaml", "--input", "runs", "--baseline", "out", "--output", "next")
    assert gradebeam("run", *flags).code == 0
    after = graded.parent / "next"
    before = _page(after)
    assert 'id="changes"' in before
    assert "all outputMatches" not in before  # The sum over one check is that check.
    assert gradebeam("report", "next").code == 0
    assert _page(after) == before
    assert gradebeam("report", "out", "--comparison", "next").code == 0
    assert 'id="changes"' in _page(graded)


@pytest.mark.parametrize("format_", list(WRITERS))
def test_every_format_gives_the_conversations(
    graded: pathlib.Path, work: pathlib.Path, gradebeam: Command, format_: str
) -> None:
    WRITERS[format_](work / f"other.{format_}", _rows(60))
    done = gradebeam("run", "--spec", "spec.yaml", "--input", f"other.{format_}", "--output", "other")
    assert done.code == 0, done.err
    assert _data(work / "other")["conversations"] == _data(graded)["conversations"]


def test_a_page_without_its_inputs_says_so(
    graded: pathlib.Path, work: pathlib.Path, gradebeam: Command
) -> None:
    shutil.rmtree(work / "runs")
    assert gradebeam("report", "out").code == 0
    assert _data(graded)["conversations"] == {}
    assert "were not there" in _data(graded)["missing"]
    assert len(_examples(graded, 0)) == 25


def test_a_budget_bounds_what_is_read(
    graded: pathlib.Path, gradebeam: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "_READ_BYTES", 4000)
    flags = ("--spec", "spec.yaml", "--input", "runs", "--output", "out", "--overwrite")
    assert gradebeam("run", *flags).code == 0
    shown = set(_examples(graded, 0))
    talks = set(_data(graded)["conversations"])
    assert len(shown) == 25
    # Those that can be read are preferred, so that all of some row groups are here.
    assert talks < shown
    assert len(talks) >= 7


def test_a_budget_bounds_the_page(
    graded: pathlib.Path, gradebeam: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "_PAGE_BYTES", 3000)
    assert gradebeam("report", "out").code == 0
    talks = set(_data(graded)["conversations"])
    assert 0 < len(talks) < 10
    assert f"The conversations of {len(talks)} of these 25 trajectories are on the page." in _page(graded)
    assert talks < set(_examples(graded, 0))


def test_long_texts_are_cut(
    graded: pathlib.Path, gradebeam: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "_MOST_FAILED", 60)
    flags = ("--spec", "spec.yaml", "--input", "runs", "--output", "out", "--overwrite")
    assert gradebeam("run", *flags).code == 0
    message = _data(graded)["conversations"]["run-001"]["events"][2]
    assert (len(message["content"]), message["more"]) == (4001, 5000)


def test_a_run_may_write_no_report(graded: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam(
        "run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", "--overwrite", "--no-report"
    )
    assert done.code == 0
    assert not (graded / "report.html").exists()
    assert (graded / "junit.xml").exists()


def test_what_is_no_run_is_refused(work: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam("report", "runs")
    assert done.code == 2
    assert "holds no finished run" in done.err


def test_show_prints_verdicts_and_conversation(graded: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam("show", "out", "run-007")
    assert done.code == 0
    assert "✘ 0 toolCallContains  fail: none of 1 call(s)" in done.out
    assert "✘ 1 outputMatches  fail: the output does not contain" in done.out
    assert "▶   1 tool_call find" in done.out
    assert '{"at": 7}' in done.out
    one = gradebeam("show", "out", "run-007", "--check", 1)
    assert "toolCallContains" not in one.out
    assert "▶   1" not in one.out
    assert gradebeam("show", "out", "run-007", "--check", "outputMatches").out == one.out


def test_show_says_what_is_not_there(graded: pathlib.Path, work: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam("show", "out", "run-7")
    assert done.code == 2
    assert "did you mean 'run-" in done.err
    done = gradebeam("show", "out", "run-007", "--check", 9)
    assert done.code == 2
    assert "it has 0 toolCallContains, 1 outputMatches" in done.err
    shutil.rmtree(work / "runs")
    done = gradebeam("show", "out", "run-007")
    assert done.code == 0
    assert "✘ 0 toolCallContains" in done.out
    assert "an input of the run is gone" in done.out


def test_the_manifest_lists_the_checks(graded: pathlib.Path) -> None:
    first = manifest(graded)["checks"][0]
    assert first["config"] == {"tool": "find", "arguments": {"at": -1}}
    assert first["place"] == "spec.yaml:1: checks[0]"


def test_a_near_miss_is_of_the_final_output_of_the_whole_record(
    work: pathlib.Path, gradebeam: Command
) -> None:
    said: list[Row] = [
        {"type": "user_message", "content": "how much?"},
        {"type": "assistant_message", "content": "It costs 499."},
    ]
    rows: list[Row] = [
        {"trajectory_id": "answers", "events": said},
        {"trajectory_id": "goes on", "events": [*said, {"type": "tool_call", "tool_name": "find"}]},
    ]
    write_parquet(work / "runs" / "a.parquet", rows)
    check = {"type": "outputMatches", "config": {"value": "It costs 400."}}
    (work / "spec.yaml").write_text(json.dumps({"version": 1, "checks": [check, {**check, "turn": 0}]}))
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out").code == 0
    assert [_examples(work / "out", number) for number in (0, 1)] == [["answers", "goes%20on"]] * 2
    assert _page(work / "out").count('class="difference"') == 1


RECORD = {
    "events": [{"type": "tool_call", "tool_name": "find", "arguments": '{"to":"oslo","n":1}'}],
    "output": "It costs 499.",
    "reference": r"""{"calls":[{"name":"find","args":{"to":"Oslo"}},{"name":"pay"}],
        "as_text":[{"tool":"find","arguments":"{\"n\": 1, \"to\": \"oslo\"}"},{"tool":"pay"}],
        "no_calls":[{"name":"find"},"pay"],"answer":"It costs 400."}""",
}


@pytest.mark.parametrize(
    ("check_type", "config", "expected"),
    [
        (
            "toolCallContains",
            {"tool": "find", "arguments": {"to": "Oslo"}},
            [(" ", "{"), ("-", '  "to": "Oslo"'), ("+", '  "to": "oslo"'), (" ", "}")],
        ),
        (
            "trajectory-match",
            {"referencePath": "calls"},
            [("-", 'find {"to":"Oslo"}'), ("+", 'find {"n":1,"to":"oslo"}'), ("-", "pay")],
        ),
        (
            "trajectory-match",
            {"referencePath": "as_text"},
            [(" ", 'find {"n":1,"to":"oslo"}'), ("-", "pay")],
        ),
        ("trajectory-match", {"referencePath": "no_calls"}, []),
        (
            "trajectory-match",
            {"calls": [{"tool": "find"}, {"tool": "pay"}], "args": "ignore"},
            [(" ", "find"), ("-", "pay")],
        ),
        (
            "output-equals",
            {"referencePath": "answer"},
            [("-", "It costs 400."), ("+", "It costs 499.")],
        ),
        ("outputMatches", {"value": "costs 400"}, [("-", "costs 400"), ("+", "It costs 499.")]),
        ("outputMatches", {"value": "499", "mode": "notContains"}, []),
        ("hasToolCall", {"tool": "pay"}, []),
    ],
)
def test_a_near_miss_is_a_difference(
    check_type: str, config: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert difference(check_type, config, RECORD, 0) == expected
