"""What scripts/bench --scale stands on: the sizes of its data, and how it measures."""

from __future__ import annotations

import importlib
import itertools
import pathlib
import sys
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

SCRIPTS = pathlib.Path(__file__).parents[1] / "scripts"


@pytest.fixture(autouse=True)
def _scripts_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


def _texts(row: dict[str, Any]) -> list[str]:
    return [event["content"] for event in row["events"] if event["content"] is not None]


def test_heavy_runs_have_the_sizes_of_real_ones(tmp_path: pathlib.Path) -> None:
    heavy, data = importlib.import_module("bench_heavy"), importlib.import_module("bench_data")
    rows = pq.read_table(data.make_data(tmp_path, 400, heavy.HEAVY)).to_pylist()
    text_bytes = [sum(len(text.encode()) for text in _texts(row)) for row in rows]
    messages = [sum(event["type"] != "tool_call" for event in row["events"]) for row in rows]
    assert np.percentile(text_bytes, [50, 90]) == pytest.approx([20_000, 100_000], rel=0.15)
    assert np.percentile(messages, [50, 90]) == pytest.approx([27, 79], rel=0.1)
    assert max(text_bytes) == pytest.approx(2_000_000, rel=0.05)
    kinds = [[event["type"] for event in row["events"]] for row in rows]
    without_output = [row["output"] is None for row in rows]
    assert without_output == [of[-1] == "tool_result" for of in kinds]
    assert sum(without_output) / len(rows) == pytest.approx(1 / 3, abs=0.1)
    parallel = sum(("tool_call", "tool_call") in itertools.pairwise(of) for of in kinds)
    assert parallel / len(rows) == pytest.approx(1 / 2, abs=0.1)
    foreign = sum(not all(map(str.isascii, _texts(row))) for row in rows)
    assert foreign / len(rows) == pytest.approx(1 / 2, abs=0.1)


def test_data_beyond_what_is_made_is_the_same_under_other_ids(tmp_path: pathlib.Path) -> None:
    data = importlib.import_module("bench_data")
    corpus = data.Corpus("few", data.EVEN.make_rows, group_rows=4, file_rows=10, distinct_rows=20)
    table = pq.read_table(data.make_data(tmp_path, 35, corpus))
    assert table["trajectory_id"].to_pylist() == [f"t{number}" for number in range(35)]
    texts = table["output"].to_pylist()
    assert texts[20:35] == texts[:15]
    assert len(set(texts[:20])) == 20
    again = pq.read_table(data.make_data(tmp_path / "again", 35, corpus))
    assert again.equals(table)


def test_a_measured_command_is_measured_with_its_children() -> None:
    measure = importlib.import_module("bench_measure").measure
    child = "x = bytearray(200_000_000); sum(range(20_000_000))"
    script = (
        "import subprocess, sys; x = bytearray(100_000_000);"
        f"subprocess.run([sys.executable, '-c', {child!r}]); print('done')"
    )
    each = measure([sys.executable, "-c", script])
    assert each.printed == "done\n"
    assert 200 < each.process_mb < 290
    assert 300 < each.tree_mb < 400
    assert each.cpu_seconds > 0.05


def test_a_command_that_fails_ends_the_benchmark() -> None:
    measure = importlib.import_module("bench_measure").measure
    with pytest.raises(SystemExit, match="no such thing"):
        measure([sys.executable, "-c", "raise SystemExit('no such thing')"])


def test_a_picture(tmp_path: pathlib.Path) -> None:
    plot = importlib.import_module("bench_plot").plot
    series = {"even, 1 worker": [(10_000, 4_000.0, 250.0), (100_000, 20_000.0, 300.0)]}
    paths = [tmp_path / "scale.svg", tmp_path / "scale.png"]
    plot(series, 600, paths)
    assert "<svg" in paths[0].read_text()
    assert paths[1].read_bytes().startswith(b"\x89PNG")
