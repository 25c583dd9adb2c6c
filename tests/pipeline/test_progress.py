"""Progress adds up the rows that workers note down, on a terminal and elsewhere."""

from __future__ import annotations

import io
import json
import pathlib
import time

import pytest
from rich.console import Console

from pipeline.progress import Extent, show_progress
from pipeline.sources.inputs import find_inputs
from pipeline.sources.records import ColumnMap
from tests.pipeline.conftest import Command, manifest


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show progress at once."""
    monkeypatch.setattr("pipeline.progress._BAR_AFTER_SECONDS", 0.0)
    monkeypatch.setattr("pipeline.progress._LOG_AFTER_SECONDS", 0.02)
    monkeypatch.setattr("pipeline.progress._MOST_SECONDS_APART", 0.02)


def _watched(path: pathlib.Path, extent: Extent, *, is_terminal: bool, until: str) -> str:
    """What is shown of workers that note 40 rows, then 2, then half a line, once it holds a text."""
    shown = io.StringIO()
    with show_progress(str(path), extent, Console(file=shown, force_terminal=is_terminal, width=100)):
        path.write_text("40 400\n2 20\n1")
        for _ in range(500):
            if until in shown.getvalue():
                break
            time.sleep(0.02)
    return shown.getvalue()


@pytest.mark.parametrize("extent", [Extent(50), Extent(None, 1000), Extent(None)])
@pytest.mark.usefixtures("impatient")
def test_a_bar_on_a_terminal(tmp_path: pathlib.Path, extent: Extent) -> None:
    assert "42 rows" in _watched(tmp_path / "progress", extent, is_terminal=True, until="42 rows")


@pytest.mark.parametrize(
    ("extent", "said"),
    [
        (Extent(1050), "graded 42 of 1,050 rows, 4 %, "),
        (Extent(None, 1000), "graded 42 rows, 42 %, "),
        (Extent(None), "graded 42 rows, "),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_lines_elsewhere(tmp_path: pathlib.Path, extent: Extent, said: str) -> None:
    shown = _watched(tmp_path / "progress", extent, is_terminal=False, until=said)
    assert said in shown
    assert (" s to go" in shown) == ("%" in said)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_nothing_is_shown_of_what_ends_at_once(tmp_path: pathlib.Path, *, is_terminal: bool) -> None:
    shown = io.StringIO()
    with show_progress(
        str(tmp_path / "progress"), Extent(50), Console(file=shown, force_terminal=is_terminal)
    ):
        (tmp_path / "progress").write_text("40 400\n")
    assert shown.getvalue() == ""


def test_the_extent_of_files(work: pathlib.Path) -> None:
    (work / "a.jsonl").write_text('{"messages": []}\n')
    assert Extent.of(find_inputs(["runs"], ColumnMap())) == Extent(6, None)
    assert Extent.of(find_inputs(["a.jsonl"], ColumnMap())) == Extent(None, 17)
    assert Extent.of(find_inputs(["runs", "a.jsonl"], ColumnMap())) == Extent(None, None)


def test_readers_note_all_bytes_of_lines(
    work: pathlib.Path, gradebeam: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [json.dumps({"messages": [{"role": "assistant", "content": "done" * at}]}) for at in range(300)]
    (work / "a.jsonl").write_text("\n".join([*lines, "", "oops"]))
    noted: list[str] = []
    monkeypatch.setattr("pipeline.run.read_ledger", lambda staging: _noting(staging, noted))
    monkeypatch.setattr("pipeline.sources.jsonl.MOST_ROWS", 100)
    flags = ("--input", "a.jsonl", "--output", "out", "--max-quarantined", 1)
    assert gradebeam("run", "--spec", "spec.yaml", *flags).code == 0
    rows, sizes = zip(*(map(int, line.split()) for line in noted), strict=True)
    assert len(rows) == 4
    assert sum(rows) == sum(
        manifest(work / "out")["counts"][name] for name in ("trajectories", "quarantined_rows")
    )
    assert sum(sizes) == (work / "a.jsonl").stat().st_size


def _noting(staging: str, noted: list[str]):
    from pipeline.outputs.ledger import read_ledger

    noted += (pathlib.Path(staging) / "progress").read_text().splitlines()
    return read_ledger(staging)
