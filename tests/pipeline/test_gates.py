"""Gates: what each limit finds in the tables, and what the command makes of it."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from graders.transitions import State
from pipeline.gates import Gate, bind_gate
from pipeline.outputs.finished import RunCheck
from pipeline.outputs.gate_results import GateResult, evaluate_gates
from tests.pipeline.conftest import ROWS, SPEC, Command, manifest
from tests.record_files import write_parquet

RUN = ("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out")
TYPES = ("hasToolCall", "outputMatches", "outputMatches")
CHECKS = [RunCheck(at, type_, f"c{at}", "", "", advisory=at == 2) for at, type_ in enumerate(TYPES)]
CODES = {"CHECK_CRASHED": 1, "MISSING_DATA": 3, "TIMEOUT": 1}


def _row(
    spec_index: int, passed: int, failed: int, codes: dict[str, int], slice_: str = ""
) -> dict[str, Any]:
    abstained = sum(codes.values())
    return {
        "spec_index": spec_index,
        "slice_key": "model" if slice_ else "",
        "slice_value": slice_,
        "total": passed + failed + abstained,
        "passed": passed,
        "failed": failed,
        "abstained": abstained,
        "abstain_reasons": codes,
    }


SUMMARY = [
    *(_row(0, 19, 1, {}), _row(0, 10, 0, {}, "a"), _row(0, 9, 1, {}, "b")),
    *(_row(1, 5, 10, CODES), _row(1, 0, 0, {"MISSING_DATA": 3}, "a"), _row(1, 5, 10, {"TIMEOUT": 2}, "b")),
    _row(2, 0, 1000, {}),
]


def _score(spec: int, passed: int, failed: int, undecided: int, slice_: str = "") -> dict[str, Any]:
    return {
        "spec": spec,
        "spec_name": "agent" if spec else None,
        "slice_key": "model" if slice_ else "",
        "slice_value": slice_,
        "total": passed + failed + undecided,
        "passed": passed,
        "failed": failed,
        "undecided": undecided,
        "pass_at_k": [0.5, 0.75] if passed + failed else [],
        "pass_hat_k": [0.5, 0.25] if passed + failed else [],
    }


SCORES = [
    *(_score(0, 3, 1, 4), _score(0, 3, 0, 0, "a"), _score(0, 0, 0, 4, "b")),
    *(_score(1, 8, 2, 0), _score(1, 7, 0, 0, "a"), _score(1, 1, 2, 0, "b")),
]


def _pair(spec_index: int, *counts: int, slice_: str = "", ambiguous: int = 0) -> dict[str, Any]:
    """A row of the comparison: kept, lost, gained and failed pairs."""
    kept, lost, gained, failed = counts
    steps = {f"{old.label}_to_{new.label}": 7 for old in State for new in State}  # The rest does not count.
    steps |= {"pass_to_pass": kept, "pass_to_fail": lost, "fail_to_pass": gained, "fail_to_fail": failed}
    slices = {"slice_key": "model" if slice_ else "", "slice_value": slice_}
    unpaired = {"ambiguous_base": ambiguous, "ambiguous_run": ambiguous}
    return {"scope": "check", "run_spec_indexes": [spec_index], **slices, **steps, **unpaired}


TRANSITIONS = [_pair(0, 12, 4, 0, 4), _pair(1, 10, 0, 0, 0), _pair(2, 0, 99, 0, 0)]


def _found(gate: dict[str, Any], transitions: Any = None) -> list[GateResult]:
    bound = bind_gate(Gate.model_validate(gate), "spec.yaml:1", CHECKS)
    return evaluate_gates([bound], {"summary": SUMMARY, "scores": SCORES}, transitions)


@pytest.mark.parametrize(
    ("gate", "condition", "limit", "beyond"),
    [
        ({}, "min_total", 40, 41),
        ({"check": "c0"}, "min_pass_rate", 0.95, 0.9500000001),
        ({"check": 0}, "min_pass_rate", 0.95, 0.9500000001),
        ({}, "min_pass_rate", 24 / 35, 0.69),
        ({"type": "outputMatches"}, "max_fail", 10, 9),  # without the advisory one
        ({"check": "c1"}, "max_abstain_rate", 0.25, 0.2499999999),
        ({}, "max_error_abstains", 2, 1),
        ({"check": "c0", "slice": {"model": "b"}}, "min_pass_rate", 0.9, 0.91),
    ],
)
def test_limits_are_inclusive(gate: dict[str, Any], condition: str, limit: float, beyond: float) -> None:
    (met,) = _found({**gate, condition: limit})
    assert (met.condition, met.limit, met.value, met.is_met) == (condition, limit, limit, True)
    (missed,) = _found({**gate, condition: beyond})
    assert (missed.value, missed.is_met) == (limit, False)


@pytest.mark.parametrize(
    ("condition", "limit", "beyond"),
    [
        ("min_total", 8, 9),
        ("min_pass_rate", 0.75, 0.751),
        ("max_fail", 1, 0),
        ("max_abstain_rate", 0.5, 0.499),
    ],
)
def test_limits_on_trajectories_of_the_spec_that_they_are_written_in(
    condition: str, limit: float, beyond: float
) -> None:
    (met,) = _over_trajectories({condition: limit}, spec=0)
    assert (met.over, met.value, met.is_met) == ("trajectories of spec 0", limit, True)
    (missed,) = _over_trajectories({condition: beyond}, spec=0)
    assert (missed.value, missed.is_met) == (limit, False)


def test_limits_on_trajectories_of_a_job_are_for_each_spec_and_slice() -> None:
    results = _over_trajectories({"slice": "model", "min_pass_rate": 0.5})
    assert [(result.over, result.value, result.is_met, result.reason) for result in results] == [
        (
            "trajectories of spec 0, model = a",
            1.0,
            True,
            "3 of 3 decided trajectories passed (100 %); at least 50 % wanted",
        ),
        ("trajectories of spec 0, model = b", None, False, "no data: none of the trajectories is decided"),
        (
            "trajectories of spec agent, model = a",
            1.0,
            True,
            "7 of 7 decided trajectories passed (100 %); at least 50 % wanted",
        ),
        (
            "trajectories of spec agent, model = b",
            1 / 3,
            False,
            "1 of 3 decided trajectories passed (33.3333 %); at least 50 % wanted",
        ),
    ]
    (missing,) = _over_trajectories({"slice": {"model": "c"}, "max_fail": 9}, spec=1)
    assert (missing.is_met, missing.reason) == (False, "no data: there are no trajectories")


def test_limits_on_k_trials() -> None:
    limits = {"min_pass_at_k": {"k": 2, "min": 0.75}, "min_pass_hat_k": {"k": 2, "min": 0.26}}
    results = _over_trajectories(limits, spec=0)
    assert [(result.condition, result.limit, result.value, result.is_met) for result in results] == [
        ("min_pass_at_k.2", 0.75, 0.75, True),
        ("min_pass_hat_k.2", 0.26, 0.25, False),
    ]
    (beyond,) = _over_trajectories({"min_pass_hat_k": {"k": 3, "min": 0}}, spec=0)
    assert (beyond.is_met, beyond.reason) == (False, "no data: no sample has 3 decided trials")


def _over_trajectories(gate: dict[str, Any], spec: int | None = None) -> list[GateResult]:
    bound = bind_gate(Gate.model_validate({"over": "trajectories", **gate}), "spec.yaml:1", CHECKS, 0, spec)
    return evaluate_gates([bound], {"summary": SUMMARY, "scores": SCORES}, None)


def test_a_key_alone_stands_for_each_of_its_slices() -> None:
    results = _found({"name": "each", "check": "c0", "slice": "model", "min_pass_rate": 0.95, "min_total": 1})
    assert [(result.over, result.condition, result.value, result.is_met) for result in results] == [
        ("check c0, model = a", "min_total", 10, True),
        ("check c0, model = a", "min_pass_rate", 1.0, True),
        ("check c0, model = b", "min_total", 10, True),
        ("check c0, model = b", "min_pass_rate", 0.9, False),
    ]
    assert {result.name for result in results} == {"each"}


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ({"type": "output-json", "max_fail": 100}, "no data: there are no verdicts"),
        ({"slice": {"model": "c"}, "max_fail": 100}, "no data: there are no verdicts"),
        ({"slice": "agent", "max_fail": 100}, "no data: there are no verdicts"),
        (
            {"check": 1, "slice": {"model": "a"}, "min_pass_rate": 0},
            "no data: none of the verdicts is decided",
        ),
        ({"max_drop": 1}, "no data: there is no baseline"),
        ({"max_drop": {"alpha": 0.01}}, "no data: there is no baseline"),
    ],
)
def test_a_gate_without_data_is_not_met(gate: dict[str, Any], reason: str) -> None:
    (result,) = _found(gate)
    assert (result.value, result.is_met, result.reason) == (None, False, reason)


def test_a_drop_of_nothing_that_is_decided_in_both_runs_is_not_met() -> None:
    (result,) = _found({"check": 0, "slice": {"model": "a"}, "max_drop": 1}, TRANSITIONS)
    assert (result.is_met, result.reason) == (False, "no data: nothing is decided in both runs")


@pytest.mark.parametrize(
    ("pair", "is_met", "found"),
    [
        (_pair(0, 1, 0, 0, 0, ambiguous=20), True, "of 1 verdict decided in both runs 1 passed"),
        (_pair(0, 0, 0, 0, 0, ambiguous=20), False, "no data: nothing is decided in both runs;"),
    ],
)
def test_a_drop_says_what_it_did_not_look_at(pair: dict[str, Any], is_met: bool, found: str) -> None:
    (result,) = _found({"check": 0, "max_drop": 0.02}, [pair])
    assert result.is_met == is_met
    assert result.reason.startswith(found)
    assert result.reason.endswith("; 40 verdicts not looked at: their sample and trial occur more than once")


@pytest.mark.parametrize(
    ("drop", "expected"),
    [
        (0.2, [("absolute", 0.2, True)]),
        (0.19, [("absolute", 0.2, False)]),
        ({"relative": 0.25}, [("relative", 0.25, True)]),
        ({"absolute": 0.3, "relative": 0.1}, [("absolute", 0.2, True), ("relative", 0.25, False)]),
        ({"absolute": 0.1, "alpha": 0.125}, [("absolute", 0.2, True)]),  # p of four to none is 0.125
        ({"absolute": 0.1, "alpha": 0.126}, [("absolute", 0.2, False)]),
        ({"alpha": 0.125}, [("alpha", 0.125, True)]),
        ({"alpha": 0.126}, [("alpha", 0.125, False)]),
    ],
)
def test_drops(drop: Any, expected: list[tuple[str, float, bool]]) -> None:
    results = _found({"check": "c0", "max_drop": drop}, TRANSITIONS)
    found = [(result.condition.removeprefix("max_drop."), result.value, result.is_met) for result in results]
    assert found == expected


def test_a_drop_over_several_checks_is_that_of_their_pairs_without_advisory_ones() -> None:
    (result,) = _found({"max_drop": 0.1}, TRANSITIONS)
    assert result.value == 4 / 30


def test_a_significant_gain_is_no_drop() -> None:
    (result,) = _found({"check": 0, "max_drop": {"alpha": 0.05}}, [_pair(0, 10, 0, 50, 0)])
    assert result.is_met


def _gate(work: pathlib.Path, *gates: dict[str, Any], **spec: Any) -> None:
    (work / "spec.yaml").write_text(json.dumps({**SPEC, "gates": gates, **spec}, indent=1))


def _results(work: pathlib.Path) -> list[dict[str, Any]]:
    document = json.loads((work / "out" / "gates.json").read_text())
    assert document["results"] == manifest(work / "out")["gates"]
    assert document["is_met"] == all(result["is_met"] for result in document["results"])
    return document["results"]


def test_all_gates_are_reported_met_or_not(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "other.yaml").write_text(json.dumps({"version": 1, "checks": SPEC["checks"][:1]}))
    _gate(
        work,
        {"name": "enough", "min_total": 6, "max_fail": 2},
        {"check": 0, "min_pass_rate": 1},
        checks=SPEC["checks"][1:],
    )
    (work / "job.yaml").write_text("spec: [other.yaml, spec.yaml]\ngates:\n- {check: saves, max_fail: 2}\n")
    done = gradebeam("run", "--job", "job.yaml", "--input", "runs", "--output", "out")
    assert done.code == 1
    found = [(row["name"], row["over"], row["value"], row["is_met"]) for row in _results(work)]
    assert found == [
        ("enough", "all checks", 6, True),  # of its own spec
        ("enough", "all checks", 0, True),
        ("min_pass_rate", "check 0", 1.0, True),
        ("max_fail", "check saves", 3, False),
    ]
    assert _results(work)[3]["place"] == "job.yaml:3"
    report = (work / "out" / "report.md").read_text()
    assert "3 of 4 limits met." in report
    assert "| max\\_fail | check saves | NO | 3 verdicts failed; at most 2 wanted |" in report
    assert "✘ max_fail, check saves: 3 verdicts failed; at most 2 wanted" in done.out
    assert "not met" in gradebeam("runs", "out").out
    # The same without grading again, whatever became of the input.
    (work / "runs" / "a.parquet").unlink()
    assert gradebeam("gate", "out", "--job", "job.yaml").code == 1
    listed = gradebeam("gate", "out", "--job", "job.yaml", "--json")
    assert json.loads(listed.out) == json.loads((work / "out" / "gates.json").read_text())
    (work / "job.yaml").write_text("spec: [other.yaml, spec.yaml]\ngates:\n- {check: saves, max_fail: 3}\n")
    assert gradebeam("gate", "out", "--job", "job.yaml").code == 0
    refused = gradebeam("gate", "out", "--spec", "spec.yaml")
    assert refused.code == 2
    assert "other checks" in refused.err
    for name in ("summary.json", "summary.parquet", "scores.json", "scores.avro"):
        (work / "out" / name).unlink()
    assert gradebeam("gate", "out", "--job", "job.yaml").code == 0
    (work / "out" / "summary.avro").unlink()
    assert gradebeam("gate", "out", "--job", "job.yaml").code == 2


def test_gates_on_trajectories(work: pathlib.Path, gradebeam: Command) -> None:
    over = {"over": "trajectories", "slice": "sample_id"}
    (work / "other.yaml").write_text(json.dumps({"version": 1, "checks": SPEC["checks"][:1]}))
    _gate(work, {**over, "max_fail": 3}, {**over, "min_pass_hat_k": {"k": 2, "min": 0.5}}, name="both")
    job = "spec: [other.yaml, spec.yaml]\nslices: sample_id\ngates:\n- {over: trajectories, max_fail: 3}\n"
    (work / "job.yaml").write_text(job)
    done = gradebeam("run", "--job", "job.yaml", "--input", "runs", "--output", "out")
    assert done.code == 1
    scores = {
        (row["spec"], row["slice_value"]): row
        for row in json.loads((work / "out" / "scores.json").read_text())
    }
    of_s0, of_s1 = scores[1, "s0"], scores[1, "s1"]
    assert [of_s0["failed"], of_s1["failed"]] == [3, 0]
    found = [(row["condition"], row["over"], row["value"], row["is_met"]) for row in _results(work)]
    assert found == [
        ("max_fail", "trajectories of spec both, sample_id = s0", 3, True),
        ("max_fail", "trajectories of spec both, sample_id = s1", 0, True),
        ("min_pass_hat_k.2", "trajectories of spec both, sample_id = s0", of_s0["pass_hat_k"][1], False),
        ("min_pass_hat_k.2", "trajectories of spec both, sample_id = s1", of_s1["pass_hat_k"][1], True),
        ("max_fail", "trajectories of spec 0", scores[0, ""]["failed"], True),
        ("max_fail", "trajectories of spec both", scores[1, ""]["failed"], True),
    ]
    assert "trajectories of spec both" in (work / "out" / "report.md").read_text()
    again = gradebeam("gate", "out", "--job", "job.yaml", "--json")
    assert again.code == 1
    assert json.loads(again.out) == json.loads((work / "out" / "gates.json").read_text())


def test_a_baseline(work: pathlib.Path, gradebeam: Command) -> None:
    events = ROWS[1]["events"]  # All six save; today three do not.
    write_parquet(work / "before" / "a.parquet", [{**row, "events": events} for row in ROWS])
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "before", "--output", "base").code == 0
    _gate(work, {"max_drop": 0.24})
    done = gradebeam(*RUN, "--baseline", "base")
    assert done.code == 1
    assert "now: a drop of 25 points; at most a drop of 24 points wanted" in done.out
    found = manifest(work / "out")
    assert found["baseline"] == {"directory": "base", "run_id": manifest(work / "base")["run_id"]}
    assert {"compare.json", "transitions.csv", "transitions.parquet"} < set(found["comparison_files"])
    for name in found["comparison_files"]:
        assert (work / "out" / name).exists()
    document = json.loads((work / "out" / "compare.json").read_text())
    assert document["run"] == {"directory": "out", "run_id": found["run_id"]}
    assert gradebeam("compare", "base", "out", "--output", "again").code == 0
    assert json.loads((work / "again" / "compare.json").read_text()) == document
    assert "## Against the baseline" in (work / "out" / "report.md").read_text()
    # Held again: against that comparison, or another one.
    assert gradebeam("gate", "out", "--spec", "spec.yaml").code == 1
    assert gradebeam("gate", "out", "--spec", "spec.yaml", "--baseline", "out").code == 0
    # A run may replace its own baseline; and without one nothing of the comparison is left.
    before = found["run_id"]
    assert gradebeam(*RUN, "--overwrite", "--baseline", "out").code == 0
    assert json.loads(gradebeam("runs", "out", "--json").out)["gates"] == "met"
    assert manifest(work / "out")["baseline"]["run_id"] == before
    (work / "spec.yaml").write_text(json.dumps(SPEC))
    assert gradebeam(*RUN, "--overwrite").code == 0
    assert _results(work) == []
    for name in ("compare.json", "changes", "transitions.csv"):
        assert not (work / "out" / name).exists()


@pytest.mark.parametrize(
    ("gates", "hints"),
    [
        ("[{check: save, max_fail: 1}]", ["job.yaml:2: gates[0].check", "'saves'"]),
        ("[{check: 2, max_fail: 1}]", ["gates[0].check", "0 to 1"]),
        ("[{type: hastoolcall, max_fail: 1}]", ["gates[0].type", "'hasToolCall'"]),
        ("[{check: a, max_fail: 1}, {check: b, max_fail: 1}]", ["gates[0].check", "gates[1].check"]),
        ("[{check: saves}]", ["gates[0]", "a gate needs a limit"]),
        ("[{max_fails: 1}]", ["'max_fails'", "'max_fail'"]),
        ("[{max_fail: -1}]", ["gates[0].max_fail"]),
        ("[{max_fail: 0.5}]", ["gates[0].max_fail"]),
        ("[{min_pass_rate: 90}]", ["gates[0].min_pass_rate"]),
        ("[{min_total: 0}]", ["gates[0].min_total"]),
        ("[{max_drop: {}}]", ["absolute, relative and alpha"]),
        ("[{max_drop: {alpha: 0}}]", ["gates[0].max_drop.alpha"]),
        ("[{check: saves, type: hasToolCall, max_fail: 1}]", ["not for both"]),
        ("[{slice: {a: b, c: d}, max_fail: 1}]", ["one key"]),
        ("[{over: trajectories, check: saves, max_fail: 1}]", ["over trajectories has no check"]),
        ("[{over: trajectories, type: hasToolCall, max_fail: 1}]", ["over trajectories has no type"]),
        ("[{over: trajectories, max_error_abstains: 1}]", ["over trajectories has no max_error_abstains"]),
        ("[{over: samples, max_fail: 1}]", ["gates[0].over"]),
        ("[{min_pass_hat_k: {k: 2, min: 0.5}}]", ["over verdicts has no min_pass_hat_k"]),
        ("[{over: trajectories, min_pass_at_k: {k: 0, min: 0.5}}]", ["gates[0].min_pass_at_k.k"]),
        ("[{over: trajectories, min_pass_at_k: {k: 2}}]", ["gates[0].min_pass_at_k"]),
        ("5", ["gates", "a list"]),
    ],
)
def test_wrong_gates_are_refused_before_anything_is_read(
    work: pathlib.Path, gradebeam: Command, gates: str, hints: list[str]
) -> None:
    (work / "job.yaml").write_text(f"spec: spec.yaml\ngates: {gates}\ninput: nowhere\noutput: out\n")
    of_job = gradebeam("run", "--job", "job.yaml", "--input", "runs")
    of_spec = "\n".join(["version: 1", f"gates: {gates}", f"checks: {json.dumps(SPEC['checks'])}"])
    (work / "job.yaml").write_text(of_spec)
    for done in (of_job, gradebeam("validate", "job.yaml")):
        assert done.code == 2
        assert "Traceback" not in done.err
        for hint in hints:
            assert hint in done.err
    assert not (work / "out").exists()


def test_an_advisory_check_cannot_be_gated(work: pathlib.Path, gradebeam: Command) -> None:
    _gate(work, {"check": "saves", "max_fail": 1}, checks=[{**SPEC["checks"][0], "advisory": True}])
    done = gradebeam("validate", "spec.yaml")
    assert done.code == 2
    assert "advisory" in done.err


def test_gates_survive_conversion(work: pathlib.Path, gradebeam: Command) -> None:
    gate = {"check": "saves", "max_fail": 3, "max_drop": {"alpha": 0.05}, "slice": "model"}
    _gate(work, gate, {"over": "trajectories", "min_pass_at_k": {"k": 2, "min": 0.5}})
    (work / "again.yaml").write_text(gradebeam("convert", "spec.yaml").out)
    assert gradebeam("convert", "again.yaml").out == (work / "again.yaml").read_text()
    text = (work / "again.yaml").read_text()
    assert "max_drop:" in text
    assert "over: trajectories" in text


def test_a_baseline_that_is_no_run(work: pathlib.Path, gradebeam: Command) -> None:
    done = gradebeam(*RUN, "--baseline", "nowhere")
    assert done.code == 2
    assert "holds no finished run" in done.err
    assert not (work / "out").exists()


def test_a_failed_run_ends_with_3_whatever_its_gates(work: pathlib.Path, gradebeam: Command) -> None:
    _gate(work, {"min_total": 1000})
    write_parquet(work / "runs" / "b.parquet", [{"trajectory_id": None, "events": []}])
    assert gradebeam(*RUN).code == 3
    assert not (work / "out" / "manifest.json").exists()
