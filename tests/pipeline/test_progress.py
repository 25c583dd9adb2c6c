"""Progress adds up the rows that workers note down, on a terminal and elsewhere."""

from __future__ import annotations

import io
import pathlib
import time

import pytest
from rich.console import Console

from pipeline.progress import show_progress


def _watched(path: pathlib.Path, total: int | None, *, is_terminal: bool, until: str) -> str:
    """What is shown of workers that note 40 rows, then 2, then half a line, once it holds a text."""
    shown = io.StringIO()
    with show_progress(str(path), total, Console(file=shown, force_terminal=is_terminal, width=100)):
        path.write_text("40\n2\n1")
        for _ in range(500):
            if until in shown.getvalue():
                break
            time.sleep(0.02)
    return shown.getvalue()


@pytest.mark.parametrize("total", [50, None])
def test_a_bar_on_a_terminal(tmp_path: pathlib.Path, total: int | None) -> None:
    assert "42 rows" in _watched(tmp_path / "progress", total, is_terminal=True, until="42 rows")


@pytest.mark.parametrize(("total", "said"), [(1050, "graded 42 of 1,050 rows"), (None, "graded 42 rows")])
def test_lines_elsewhere(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, total: int | None, said: str
) -> None:
    monkeypatch.setattr("pipeline.progress._LOG_SECONDS", 0.02)
    assert said in _watched(tmp_path / "progress", total, is_terminal=False, until=said)


def test_nothing_is_shown_where_nothing_was_noted(tmp_path: pathlib.Path) -> None:
    shown = io.StringIO()
    with show_progress(str(tmp_path / "progress"), 5, Console(file=shown)):
        pass
    assert shown.getvalue() == ""
