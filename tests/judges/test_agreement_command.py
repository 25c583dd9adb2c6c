"""`gradebeam agreement`: two judges, a label, and the table of what they agree on."""

from __future__ import annotations

import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from tests.judges.conftest import Work, row
from tests.record_files import write_parquet

# Per record: the first judge, the second judge and the label.
VOTES = [
    (1, 1, "good"), (1, 1, "good"), (1, 0, "good"), (0, 0, "bad"), (0, 1, "bad"), (1, 1, None), (None, 1, "good"),
]  # fmt: skip
SPEC: dict[str, Any] = {
    "version": 1,
    "checks": [
        {"type": "score-range", "name": name, "config": {"path": f"judges.{name}", "min": 1}}
        for name in ("first", "second")
    ],
}


@pytest.fixture
def graded(work: Work) -> Work:
    """A finished run over the votes."""
    rows = [
        {**row(at), "metadata": json.dumps({"judges": {"first": first, "second": second}, "label": label})}
        for at, (first, second, label) in enumerate(VOTES)
    ]
    write_parquet(work.path / "runs" / "runs.parquet", rows)
    (work.path / "spec.yaml").write_text(json.dumps(SPEC))
    paths = [str(work.path / name) for name in ("spec.yaml", "runs", "out")]
    assert main(["run", "--spec", paths[0], "--input", paths[1], "--output", paths[2]]) == 0
    return work


def test_pairs_and_all_of_them(graded: Work, capsys: pytest.CaptureFixture[str]) -> None:
    table = graded.path / "agreement.parquet"
    arguments = ["agreement", str(graded.path / "out"), "--check", "first", "--check", "1"]
    assert main([*arguments, "--label", "label=good", "--output", str(table)]) == 0
    rows = pq.read_table(table).to_pylist()
    assert [(row["statistic"], row["rater"], row["other"]) for row in rows] == [
        ("cohen", "first", "second"), ("cohen", "first", "label"), ("cohen", "second", "label"),
        ("fleiss", "first, second, label", None),
    ]  # fmt: skip
    counts = ("both_pass", "only_rater", "only_other", "both_fail", "undecided")
    assert [[row[name] for name in counts] for row in rows[:3]] == [
        [3, 1, 1, 1, 1], [3, 0, 0, 2, 2], [3, 1, 1, 1, 1],
    ]  # fmt: skip
    # 4 of 6 agree; by chance (4 * 4 + 2 * 2) / 36 of them.
    assert rows[0]["kappa"] == pytest.approx((4 / 6 - 20 / 36) / (1 - 20 / 36))
    assert rows[1]["kappa"] == 1.0
    assert (rows[3]["items"], rows[3]["undecided"]) == (5, 2)
    # Pairs of raters agree in 3 + 3 + 1 + 3 + 1 of 15; 9 of 15 votes pass.
    assert rows[3]["kappa"] == pytest.approx((11 / 15 - (0.6**2 + 0.4**2)) / (1 - (0.6**2 + 0.4**2)))
    assert "all of them" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--check", "first"], "two raters are needed"),
        ([], "two raters are needed"),
        (["--check", "first", "--check", "secnod"], "did you mean 'second'"),
        (["--check", "first", "--label", "label"], "expected PATH=VALUE"),
        (["--check", "first", "--label", "lable=good"], "no record of the run has a value at lable"),
        (["--check", "first", "--check", "second", "--output", "x.xlsx"], "expected a name that ends with"),
    ],
)
def test_mistakes_are_named(
    graded: Work, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert main(["agreement", str(graded.path / "out"), *arguments]) == 2
    assert expected in capsys.readouterr().err
