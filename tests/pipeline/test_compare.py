"""Comparing two runs: pairs, counts, the files that are written, and what is refused."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
import pytest

from graders.transitions import State
from pipeline.errors import InvalidError
from pipeline.outputs.comparison_files import read_comparison
from tests.pipeline.conftest import Command, manifest
from tests.record_columns import Row
from tests.record_files import write_parquet

Grade = Callable[..., pathlib.Path]
SAVES = {"type": "hasToolCall", "name": "saves", "config": {"tool": "save"}}
DONE = {"type": "outputMatches", "config": {"value": "done"}}


def _row(at: int, *, tool: str | None = "save", output: str | None = "done", **columns: Any) -> Row:
    events: list[Row] = [{"type": "assistant_message", "content": "well"}, {"type": "turn_end"}]
    if tool is not None:
        events.insert(0, {"type": "tool_call", "tool_name": tool})
    return {
        "trajectory_id": f"t{at}",
        "sample_id": f"s{at}",
        "trial": 0,
        "output": output,
        "events": events,
    } | columns


@pytest.fixture
def grade(work: pathlib.Path, gradebeam: Command) -> Grade:
    """Grade rows by checks into a directory."""

    def start(name: str, rows: list[Row], *checks: dict[str, Any], slices: str = "") -> pathlib.Path:
        write_parquet(work / f"{name}-runs" / "a.parquet", rows, row_group_size=3)
        (work / f"{name}.yaml").write_text(json.dumps({"version": 1, "checks": checks or [SAVES, DONE]}))
        sliced = [part for key in slices.split() for part in ("--slice", key)]
        done = gradebeam(
            "run", "--spec", f"{name}.yaml", "--input", f"{name}-runs", "--output", name, *sliced
        )
        assert done.code == 0, done.err
        return work / name

    return start


def _transitions(output: pathlib.Path) -> dict[str, dict[str, Any]]:
    rows = json.loads((output / "compare.json").read_text())["transitions"]
    return {
        row["check_name"] or row["check_type"] or "all": row
        for row in rows
        if row["scope"] in ("check", "all")
    }


def _steps(row: dict[str, Any]) -> dict[str, int]:
    """The transitions that occurred."""
    names = [f"{old.label}_to_{new.label}" for old in State for new in State]
    return {name: row[name] for name in names if row[name]}


def test_what_became_of_what(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    grade("base", [_row(0), _row(1), _row(2, tool="load"), _row(3), _row(4)])
    grade("run", [_row(0), _row(1, tool="load"), _row(2), _row(3, output=""), _row(5)])
    done = gradebeam("compare", "base", "run", "--output", "out")
    assert done.code == 0, done.err
    rows = _transitions(work / "out")
    assert _steps(rows["saves"]) == {
        "pass_to_pass": 2, "pass_to_fail": 1, "fail_to_pass": 1, "pass_to_absent": 1, "absent_to_pass": 1,
    }  # fmt: skip
    assert _steps(rows["outputMatches"]) == {
        "pass_to_pass": 3, "pass_to_fail": 1, "pass_to_absent": 1, "absent_to_pass": 1,
    }  # fmt: skip
    assert rows["saves"]["identity"] == "name:saves"
    assert rows["outputMatches"]["identity"].startswith("sha256:")
    assert [rows["saves"][name] for name in ("paired", "decided", "only_base", "only_run")] == [4, 4, 1, 1]
    assert rows["saves"]["difference"] == 0
    assert rows["saves"]["mcnemar_p"] == 1
    assert rows["all"]["difference"] == -1 / 8
    assert rows["all"]["pass_to_fail"] == 2
    assert re.search(r"^newly failing: \S+: ", done.out, re.MULTILINE)


def _rows_of(output: pathlib.Path, scope: str) -> dict[tuple[str, str], dict[str, Any]]:
    rows = json.loads((output / "compare.json").read_text())["transitions"]
    return {(row["slice_key"], row["slice_value"]): row for row in rows if row["scope"] == scope}


def test_slices_and_trajectories(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    base = [
        _row(0, model="a"),
        _row(1, model="a"),
        _row(2, model="b"),
        _row(3, model="b"),
        _row(6, model="a"),
    ]
    run = [
        _row(0, model="a"),
        _row(1, model="a", tool="load"),
        _row(2, model="c", output=""),  # of another model now
        _row(4, model=None),
        *(_row(6, model="a"), _row(6, model="c")),  # which of them is it?
    ]
    grade("base", base, slices="agent model")
    grade("run", run, slices="model")
    done = gradebeam("compare", "base", "run", "--output", "out")
    assert done.code == 0, done.err
    found = _rows_of(work / "out", "trajectory")
    assert {slice_: _steps(row) for slice_, row in found.items()} == {
        ("", ""): {
            "pass_to_pass": 1, "pass_to_fail": 2, "pass_to_absent": 1, "absent_to_pass": 1,
        },
        ("model", "(none)"): {"absent_to_pass": 1},
        ("model", "a"): {"pass_to_pass": 1, "pass_to_fail": 1},
        ("model", "b"): {"pass_to_absent": 1},
        ("model", "c"): {"pass_to_fail": 1},
    }  # fmt: skip
    row = found["", ""]
    assert [row[name] for name in ("identity", "base_spec", "run_spec")] == ["spec:0", 0, 0]
    assert (row["ambiguous_base"], row["ambiguous_run"]) == (1, 2)
    assert found["model", "a"]["difference"] == -1 / 2
    assert _steps(_rows_of(work / "out", "all")["model", "c"]) == {"pass_to_pass": 1, "pass_to_fail": 1}
    saves = {(row["slice_value"], row["pass_to_fail"]) for row in _sliced_checks(work / "out", "saves")}
    assert saves == {("", 1), ("(none)", 0), ("a", 1), ("b", 0), ("c", 0)}
    changes = json.loads((work / "out" / "compare.json").read_text())["changes"]
    assert changes["rows"] == 2  # of verdicts alone
    assert "rows on slices" in (work / "out" / "compare.md").read_text()
    # A gate on a drop has data in a slice.
    (work / "gates.yaml").write_text(
        "spec: run.yaml\ngates:\n- {over: trajectories, slice: model, max_drop: 0.5}\n"
        "- {check: saves, slice: {model: a}, max_drop: 0.4}\n"
    )
    held = gradebeam("gate", "run", "--job", "gates.yaml", "--baseline", "base", "--json")
    results = [(row["over"], row["value"], row["is_met"]) for row in json.loads(held.out)["results"]]
    assert results == [
        ("trajectories of spec 0, model = (none)", None, False),
        ("trajectories of spec 0, model = a", 0.5, True),
        ("trajectories of spec 0, model = c", 1.0, False),
        ("check saves, model = a", 0.5, False),
    ]


def _sliced_checks(output: pathlib.Path, name: str) -> list[dict[str, Any]]:
    rows = json.loads((output / "compare.json").read_text())["transitions"]
    return [row for row in rows if row["check_name"] == name]


def test_slice_values_beyond_the_cap(
    work: pathlib.Path, grade: Grade, gradebeam: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.compare._MOST_SLICE_VALUES", 2)
    of_few = {**DONE, "samples": ["s0", "s3", "s4"]}
    rows = [_row(at, model=f"m{at}") for at in range(5)]
    grade("run", rows, SAVES, of_few, slices="model")
    assert gradebeam("compare", "run", "run", "--output", "out").code == 0
    for scope, beyond in (("trajectory", 3), ("all", 5)):
        found = _rows_of(work / "out", scope)
        assert list(found) == [("", ""), ("model", "(other)"), ("model", "m0"), ("model", "m1")]
        assert _steps(found["model", "(other)"]) == {"pass_to_pass": beyond}


def test_the_files(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    grade("base", [_row(0), _row(1), _row(2, tool="load")])
    grade("run", [_row(0, trajectory_id="again"), _row(1, tool="load"), _row(2)])
    assert gradebeam("compare", "base", "run", "--output", "out").code == 0
    document = json.loads((work / "out" / "compare.json").read_text())
    assert document["base"] == {"directory": "base", "run_id": manifest(work / "base")["run_id"]}
    assert document["run"] == {"directory": "run", "run_id": manifest(work / "run")["run_id"]}
    table = pq.read_table(work / "out" / "transitions.parquet")
    assert table.to_pylist() == document["transitions"]
    (file,) = document["changes"]["files"]
    changes = pq.read_table(work / "out" / "changes" / file["name"]).to_pylist()
    assert changes == document["changes"]["first"]
    assert [(row["run_outcome"], row["check_name"], row["sample_id"], row["trial"]) for row in changes] == [
        ("fail", "saves", "s1", 0),
        ("pass", "saves", "s2", 0),
    ]
    report = (work / "out" / "compare.md").read_text()
    assert "**Newly failing**\n\n- saves: s1, trial 0, t1\n" in report
    assert "**Newly passing**\n\n- saves: s2, trial 0, t2\n" in report
    names = {path.name for path in (work / "out").iterdir()}
    assert names == {"compare.json", "compare.md", "transitions.csv", "transitions.parquet", "changes"}


def test_without_a_trial_the_trajectory_pairs(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    grade("base", [_row(0, trial=None), _row(1, trial=None), _row(2)], SAVES)
    grade("run", [_row(0, trial=None, sample_id="new"), _row(1), _row(2, trial=None)], SAVES)
    assert gradebeam("compare", "base", "run", "--output", "out").code == 0
    row = _transitions(work / "out")["saves"]
    assert _steps(row) == {"pass_to_pass": 1, "pass_to_absent": 2, "absent_to_pass": 2}


def test_verdicts_under_one_key_are_ambiguous_and_counted(
    work: pathlib.Path, grade: Grade, gradebeam: Command
) -> None:
    grade("base", [_row(0), _row(0, tool="load"), _row(1), _row(2)], SAVES)
    grade("run", [_row(0), _row(1), _row(1), _row(1), _row(2)], SAVES)
    done = gradebeam("compare", "base", "run", "--output", "out")
    row = _transitions(work / "out")["saves"]
    assert _steps(row) == {"pass_to_pass": 1}
    assert (row["ambiguous_base"], row["ambiguous_run"]) == (3, 4)
    note = "7 verdicts of both runs are ambiguous: in no pair"
    assert note in done.out
    assert note in (work / "out" / "compare.md").read_text()


def test_checks_of_one_run_alone(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    renamed = {**SAVES, "name": "stores"}
    grade("base", [_row(0)], SAVES, DONE)
    grade("run", [_row(0)], renamed, {**DONE, "config": {"caseSensitive": True, "value": "done"}})
    assert gradebeam("compare", "base", "run", "--output", "out").code == 0
    rows = _transitions(work / "out")
    assert list(rows) == ["stores", "outputMatches", "saves", "all"]
    assert _steps(rows["saves"]) == {"pass_to_absent": 1}
    assert _steps(rows["stores"]) == {"absent_to_pass": 1}
    # A parameter with its default value is the same as none.
    assert _steps(rows["outputMatches"]) == {"pass_to_pass": 1}
    assert rows["saves"]["difference"] is None
    assert rows["saves"]["mcnemar_p"] == 1


def test_checks_that_are_the_same_in_all_are_paired_in_order(
    work: pathlib.Path, grade: Grade, gradebeam: Command
) -> None:
    anonymous = {"type": "hasToolCall", "config": {"tool": "save"}}
    grade("base", [_row(0)], anonymous, anonymous)
    grade("run", [_row(0)], anonymous, {**anonymous, "samples": ["s1"]}, anonymous, anonymous)
    assert gradebeam("compare", "base", "run", "--output", "out").code == 0
    rows = json.loads((work / "out" / "compare.json").read_text())["transitions"]
    checks = [
        (row["base_spec_indexes"], row["run_spec_indexes"], _steps(row))
        for row in rows
        if row["scope"] == "check"
    ]
    assert checks == [
        ([0], [0, 1], {"pass_to_pass": 1}),  # two that are for different samples are one
        ([1], [2], {"pass_to_pass": 1}),
        ([], [3], {"absent_to_pass": 1}),
    ]


def test_two_checks_of_one_run(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    rows = [_row(0), _row(1, output="no"), _row(2, tool="load"), _row(3, tool="load", output="no")]
    grade("run", rows, SAVES, DONE)
    done = gradebeam("compare", "run", "run", "--pair", "saves=1", "--output", "out")
    assert done.code == 0, done.err
    assert "saves=1: 2 of 4 agreeing (50.0 %, kappa 0.000)" in done.out
    row = _transitions(work / "out")["outputMatches"]
    assert (row["agreement"], row["kappa"], row["base_spec_indexes"]) == (0.5, 0.0, [0])


def test_the_same_bytes_from_any_share_size_and_worker(
    work: pathlib.Path, grade: Grade, gradebeam: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = ["save", "load", None]
    before = [_row(at, tool=tools[at % 3], trial=at % 2, model=f"m{at % 7}") for at in range(40)]
    after = [_row(at, tool=tools[at % 2], trial=at % 2, model=f"m{at % 5}") for at in range(42, 2, -1)]
    grade("base", before, slices="model")
    grade("run", after, slices="model")
    monkeypatch.setattr("pipeline.transforms.shares._ROWS_PER_SHARE", 30)
    assert gradebeam("compare", "base", "run", "--output", "one").code == 0
    assert gradebeam("compare", "base", "run", "--output", "two", "--workers", "2").code == 0
    one, two = (
        {
            str(path.relative_to(work / name)): path.read_bytes()
            for path in (work / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert one == two
    assert sum(name.startswith("changes") for name in one) > 2
    monkeypatch.undo()
    monkeypatch.chdir(work)
    assert gradebeam("compare", "base", "run", "--output", "whole").code == 0
    whole = json.loads((work / "whole" / "compare.json").read_text())
    shared = json.loads((work / "one" / "compare.json").read_text())
    assert len(whole["changes"].pop("files")) == 1
    assert len(shared["changes"].pop("files")) > 2
    assert whole == shared


def test_nothing_is_written_without_an_output(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    grade("run", [_row(0)])
    before = sorted(work.rglob("*"))
    assert gradebeam("compare", "run", "run").code == 0
    assert sorted(work.rglob("*")) == before


def test_a_comparison_is_replaced_only_when_asked(
    work: pathlib.Path, grade: Grade, gradebeam: Command
) -> None:
    grade("base", [_row(0)])
    grade("run", [_row(0, tool=None)])
    compare = ("compare", "base", "run", "--output", "out")
    assert gradebeam(*compare).code == 0
    refused = gradebeam(*compare)
    assert refused.code == 2
    assert "--overwrite" in refused.err
    assert gradebeam("compare", "run", "run", "--output", "out", "--overwrite").code == 0
    assert not (work / "out" / "changes").exists()
    into_run = gradebeam("compare", "base", "run", "--output", "run", "--overwrite")
    assert into_run.code == 2
    assert "holds a run" in into_run.err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("run",), "RUN"),
        (("run", "nowhere"), "nowhere: holds no finished run"),
        (("run", "run", "--workers", "0"), "--workers"),
        (("run", "run", "--pair", "saves"), "A=B"),
        (("run", "run", "--pair", "save=1"), "'saves'"),
        (("run", "run", "--pair", "saves=2"), "the run has no check '2'"),
        (("run", "run", "--", "--runer=x"), "runner"),
    ],
)
def test_a_wrong_command_ends_with_2(
    grade: Grade, gradebeam: Command, arguments: tuple[str, ...], hint: str
) -> None:
    grade("run", [_row(0)])
    done = gradebeam("compare", *arguments)
    assert done.code == 2
    assert hint in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{", "not JSON"),
        ("[]", "version 1"),
        ('{"manifest_version": 9}', "version 1"),
        ('{"manifest_version": 1}', "grade again"),
    ],
)
def test_a_directory_without_a_good_manifest(
    work: pathlib.Path, grade: Grade, gradebeam: Command, text: str, hint: str
) -> None:
    grade("run", [_row(0)])
    (work / "run" / "manifest.json").write_text(text)
    done = gradebeam("compare", "run", "run")
    assert done.code == 2
    assert hint in done.err


def test_a_verdict_file_that_is_gone(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    grade("run", [_row(0)])
    for path in (work / "run" / "verdicts").iterdir():
        path.unlink()
    done = gradebeam("compare", "run", "run")
    assert done.code == 2
    assert done.err.count("it is gone") == 2


def test_verdicts_that_are_gone_do_not_add_up(work: pathlib.Path, grade: Grade, gradebeam: Command) -> None:
    grade("run", [_row(0), _row(1)])
    path = next((work / "run" / "verdicts").iterdir())
    pq.write_table(pq.read_table(path).slice(1), path)
    done = gradebeam("compare", "run", "run", "--output", "out")
    assert done.code == 3
    assert "do not add up" in done.err
    assert not (work / "out" / "compare.json").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"compare_version": 0, "transitions": []}'])
def test_a_comparison_that_another_version_wrote_is_refused(tmp_path: pathlib.Path, text: str) -> None:
    (tmp_path / "compare.json").write_text(text)
    with pytest.raises(InvalidError, match=r"compare\.json"):
        read_comparison(str(tmp_path))
