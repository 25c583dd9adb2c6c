"""Which files a run reads, and what is said of those that it cannot read."""

from __future__ import annotations

import os
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.errors import InvalidError
from pipeline.sources.inputs import find_inputs, known_rows
from pipeline.sources.records import ColumnMap
from tests.pipeline.conftest import ROWS, Command, manifest, verdicts
from tests.record_columns import to_table
from tests.record_files import write_avro, write_parquet


def _found(*patterns: str | pathlib.Path, base: pathlib.Path) -> list[str]:
    files = find_inputs([str(pattern) for pattern in patterns], ColumnMap())
    return [str(pathlib.Path(file.path).resolve().relative_to(base.resolve())) for file in files]


def _problems(*patterns: str | pathlib.Path, columns: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(InvalidError) as caught:
        find_inputs([str(pattern) for pattern in patterns], ColumnMap.of(columns or {}))
    return [str(problem) for problem in caught.value.problems]


@pytest.fixture
def shards(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A directory such as other tools leave: data, marks, checksums and hidden copies."""
    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "runs"
    for name in (
        "part-0.parquet",
        "part-1.snappy.parquet",
        "day=2/part-0.parquet",
        "plain",
        ".part-0.parquet",
        "_temp/part-9.parquet",
    ):
        write_parquet(runs / name, ROWS[:1])
    write_avro(runs / "part-2.avro", ROWS[:1])
    (runs / "_SUCCESS").write_bytes(b"")
    (runs / "_metadata").write_bytes(b"1")
    (runs / ".part-0.parquet.crc").write_bytes(b"crc\0")
    (runs / "part-1.parquet.crc").write_bytes(b"crc\0")
    return tmp_path


DATA = [
    "runs/day=2/part-0.parquet",
    "runs/part-0.parquet",
    "runs/part-1.snappy.parquet",
    "runs/part-2.avro",
    "runs/plain",
]


@pytest.mark.parametrize("pattern", ["runs", "runs/", "./runs", "runs/**"])
def test_a_directory_is_read_with_all_below_it(shards: pathlib.Path, pattern: str) -> None:
    assert _found(pattern, base=shards) == DATA
    assert _found(shards / pattern, base=shards) == DATA


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("runs/*", ["part-0.parquet", "part-1.snappy.parquet", "part-2.avro", "plain"]),
        ("runs/*.parquet", ["part-0.parquet", "part-1.snappy.parquet"]),
        ("runs/part-?.parquet", ["part-0.parquet"]),
        ("runs/*/*.parquet", ["day=2/part-0.parquet"]),
        ("runs/part-[0-9].*", ["part-0.parquet", "part-1.snappy.parquet", "part-2.avro"]),
        ("runs/.part-0.parquet", [".part-0.parquet"]),
        ("runs/_temp/*.parquet", ["_temp/part-9.parquet"]),
        ("runs/_temp", ["_temp/part-9.parquet"]),
    ],
)
def test_a_glob_passes_over_what_is_hidden(shards: pathlib.Path, pattern: str, names: list[str]) -> None:
    expected = [f"runs/{name}" for name in names]
    assert _found(pattern, base=shards) == expected
    assert _found(shards / pattern, base=shards) == expected


def test_a_hidden_directory_above_the_pattern_hides_nothing(tmp_path: pathlib.Path) -> None:
    write_parquet(tmp_path / ".cache" / "_runs" / "a.parquet", ROWS[:1])
    assert _found(tmp_path / ".cache" / "_runs" / "*.parquet", base=tmp_path) == [".cache/_runs/a.parquet"]


@pytest.mark.parametrize("pattern", ["*.parquet", "./*.parquet"])
def test_a_glob_in_the_working_directory(
    shards: pathlib.Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    monkeypatch.chdir(shards / "runs")
    assert _found(pattern, base=shards) == DATA[1:3]


def test_a_file_that_several_patterns_name_is_read_once(shards: pathlib.Path) -> None:
    assert _found("runs/part-0.parquet", "runs/*.parquet", "runs", base=shards) == DATA


def test_a_file_is_read_once_however_it_is_spelled(shards: pathlib.Path) -> None:
    assert _found(
        "runs/part-0.parquet", "./runs/part-0.parquet", shards / "runs" / "part-0.parquet", base=shards
    ) == [DATA[1]]


def test_links_that_lead_round_are_not_followed_for_ever(shards: pathlib.Path) -> None:
    for name in ("round", "and", "about"):  # Each of them doubles the ways at every step.
        (shards / "runs" / name).symlink_to(shards / "runs")
    assert _found("runs", base=shards) == DATA


def test_a_pipe_is_refused(shards: pathlib.Path) -> None:
    os.mkfifo("runs/pipe.jsonl")
    (problem,) = _problems("runs")
    assert problem.startswith("runs/pipe.jsonl: a pipe")


def test_a_name_with_glob_characters_may_be_named_in_full(tmp_path: pathlib.Path) -> None:
    write_parquet(tmp_path / "runs [1]" / "a[b].parquet", ROWS[:1])
    assert _found(tmp_path / "runs [1]", base=tmp_path) == ["runs [1]/a[b].parquet"]
    assert _found(tmp_path / "runs [1]" / "a[b].parquet", base=tmp_path) == ["runs [1]/a[b].parquet"]


def test_what_is_not_there_is_named(shards: pathlib.Path) -> None:
    problems = _problems("runs/*.orc", "runs/part-7.parquet", "nowhere", "runs/part-0.parquet")
    assert [problem.split(":")[0] for problem in problems] == ["runs/*.orc", "runs/part-7.parquet", "nowhere"]
    assert "matches no file" in problems[0]
    assert all("Parquet, Avro or JSON lines" in problem for problem in problems)


def test_a_file_named_on_purpose_must_be_data(shards: pathlib.Path) -> None:
    (shards / "notes.txt").write_text("hello")
    (shards / "short").write_bytes(b"P")
    problems = _problems("notes.txt", "runs/_SUCCESS", "runs/_metadata", "short")
    assert len(problems) == 4
    assert all("neither Parquet, Avro nor JSON lines" in problem for problem in problems)


@pytest.mark.parametrize("kept", [5, 40, -1, -9])
def test_a_truncated_file_is_refused(tmp_path: pathlib.Path, kept: int) -> None:
    file = write_parquet(tmp_path / "a.parquet", ROWS)
    file.write_bytes(file.read_bytes()[:kept])
    (problem,) = _problems(file)
    assert problem.startswith(f"{file}: ")
    assert "Parquet" in problem


def test_a_truncated_avro_header_is_refused(tmp_path: pathlib.Path) -> None:
    file = write_avro(tmp_path / "a.avro", ROWS)
    file.write_bytes(file.read_bytes()[:30])
    (problem,) = _problems(file)
    assert problem.startswith(f"{file}: ")


def _without(*names: str) -> pa.Table:
    return to_table(ROWS).drop_columns(list(names))


def test_missing_columns_are_named_with_those_that_are_there(tmp_path: pathlib.Path) -> None:
    pq.write_table(_without("events"), tmp_path / "a.parquet")
    pq.write_table(_without("trajectory_id"), tmp_path / "b.parquet")
    first, second = _problems(tmp_path)
    assert first.startswith(
        f"{tmp_path}/a.parquet: no column events or messages; the file has trajectory_id, sample_id"
    )
    assert first.endswith("; map one with --columns messages=COLUMN")
    assert second.startswith(f"{tmp_path}/b.parquet: no column trajectory_id; the file has sample_id")
    assert second.endswith("; map one with --columns trajectory_id=COLUMN")


def test_a_column_of_a_type_that_cannot_be_read_is_named(tmp_path: pathlib.Path) -> None:
    table = _without("events").append_column("events", pa.array(["[]"] * len(ROWS)))
    table = table.append_column("tags", pa.array([1] * len(ROWS)))
    pq.write_table(table, tmp_path / "a.parquet")
    events, tags = sorted(_problems(tmp_path))
    assert "column events: expected a list" in events
    assert "column tags: expected a map" in tags


def test_all_files_are_looked_at_before_anything_is_graded(work: pathlib.Path, gradebeam: Command) -> None:
    (work / "runs" / "b.parquet").write_bytes(b"PAR1 no more")
    (work / "runs" / "c.txt").write_text("x")
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out")
    assert done.code == 2
    assert "runs/b.parquet" in done.err
    assert "runs/c.txt" in done.err
    assert not (work / "out").exists()


def test_files_without_rows_are_fine(work: pathlib.Path, gradebeam: Command) -> None:
    empty = to_table(ROWS).slice(0, 0)
    pq.write_table(empty, work / "runs" / "b.parquet")
    with pq.ParquetWriter(work / "runs" / "c.parquet", empty.schema):
        pass  # No row group at all.
    assert (
        known_rows(
            find_inputs([str(work / "runs" / name) for name in ("b.parquet", "c.parquet")], ColumnMap())
        )
        == 0
    )
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out").code == 0
    assert manifest(work / "out")["counts"]["trajectories"] == len(ROWS)


def test_input_of_no_rows_gives_tables_of_no_verdicts(work: pathlib.Path, gradebeam: Command) -> None:
    pq.write_table(to_table(ROWS).slice(0, 0), work / "none.parquet")
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "none.parquet", "--output", "out")
    assert done.code == 0
    assert verdicts(work / "out") == []
    for row in pq.read_table(work / "out" / "summary.parquet").to_pylist():
        assert (row["total"], row["pass_rate"], row["coverage"], row["wilson_low"]) == (0, None, None, None)


def test_files_of_different_schemas_are_read_together(work: pathlib.Path, gradebeam: Command) -> None:
    chat = '[{"role":"assistant","content":"done","tool_calls":[{"name":"save"}]}]'
    pq.write_table(pa.table({"trajectory_id": ["m0"], "messages": [chat]}), work / "runs" / "b.parquet")
    struct = pa.struct(
        [
            ("tool_name", pa.dictionary(pa.int8(), pa.string())),
            ("type", pa.large_string()),
            ("cost", pa.float32()),
        ]
    )
    events = pa.array([[{"type": "tool_call", "tool_name": "save", "cost": 1.0}], []], pa.large_list(struct))
    pq.write_table(
        pa.table({"events": events, "note": [1, 2], "output": pa.nulls(2), "trajectory_id": [7, 8]}),
        work / "runs" / "c.parquet",
    )
    pq.write_table(
        pa.table({"trajectory_id": ["n0", "n1"], "events": pa.array([[], None], pa.list_(pa.null()))}),
        work / "runs" / "d.parquet",
    )
    write_avro(work / "runs" / "e.avro", [{**ROWS[1], "trajectory_id": "v0"}])
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out").code == 0
    seen = {
        row["trajectory_id"]: (row["outcome"], row["code"])
        for row in verdicts(work / "out")
        if row["spec_index"] == 0
    }
    assert {name: seen[name] for name in ("m0", "7", "8", "n0", "n1", "v0")} == {
        "m0": ("pass", None),
        "7": ("pass", None),
        "8": ("fail", None),
        "n0": ("fail", None),
        "n1": ("abstain", "MISSING_DATA"),
        "v0": ("pass", None),
    }
    assert len(seen) == len(ROWS) + 6


def test_events_win_over_messages_unless_null(work: pathlib.Path, gradebeam: Command) -> None:
    chat = '[{"role":"assistant","tool_calls":[{"name":"save"}]}]'
    rows = [
        {"trajectory_id": "events", "events": [], "messages": chat},
        {"trajectory_id": "messages", "events": None, "messages": chat},
        {"trajectory_id": "neither", "events": None, "messages": None},
    ]
    write_parquet(work / "both.parquet", rows)
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "both.parquet", "--output", "out").code == 0
    outcomes = {
        row["trajectory_id"]: row["outcome"] for row in verdicts(work / "out") if row["spec_index"] == 0
    }
    assert outcomes == {"events": "fail", "messages": "pass", "neither": "abstain"}


@pytest.mark.parametrize("text", [pa.string_view(), pa.binary_view()], ids=str)
def test_views_are_read_like_other_texts(work: pathlib.Path, gradebeam: Command, text: pa.DataType) -> None:
    chat = '[{"role":"assistant","content":"view","tool_calls":[{"name":"save"}]}]'
    rows = [
        {"trajectory_id": "events", "output": None, "events": ROWS[1]["events"], "messages": None},
        {"trajectory_id": "messages", "output": None, "events": None, "messages": chat},
    ]
    table = to_table(rows)
    for at, name in enumerate(table.column_names):
        if name != "events":
            table = table.set_column(at, name, pa.array(table[name].to_pylist(), text))
    pq.write_table(table, work / "views.parquet")
    assert pq.read_schema(work / "views.parquet").field("messages").type == text
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "views.parquet", "--output", "out").code == 0
    found = verdicts(work / "out")
    outcomes = {row["trajectory_id"]: row["outcome"] for row in found if row["spec_index"] == 0}
    assert outcomes == {"events": "pass", "messages": "pass"}
    assert "view" in gradebeam("show", "out", "messages").out


def test_columns_may_have_other_names(work: pathlib.Path, gradebeam: Command) -> None:
    table = to_table(ROWS).rename_columns({"trajectory_id": "run", "events": "log", "output": "answer"})
    pq.write_table(table, work / "renamed.parquet")
    arguments = ("run", "--spec", "spec.yaml", "--input", "renamed.parquet", "--output", "out")
    done = gradebeam(*arguments)
    assert done.code == 2
    assert "--columns" in done.err
    assert gradebeam(*arguments, "--columns", "trajectory_id=run,events=log,output=answer").code == 0
    renamed = verdicts(work / "out")
    assert gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "plain").code == 0
    assert renamed == verdicts(work / "plain")
    assert manifest(work / "out")["columns"] == {"trajectory_id": "run", "events": "log", "output": "answer"}


@pytest.mark.parametrize(
    ("columns", "hint"),
    [
        ("trajectory_id=trajectory_ix", "'trajectory_id'"),
        ("evnts=events", "'events'"),
        ("events", "name=column"),
        ("events=", "name=column"),
        ("events=a,events=b", "twice"),
    ],
)
def test_a_wrong_mapping_is_refused_with_the_nearest_name(
    work: pathlib.Path, gradebeam: Command, columns: str, hint: str
) -> None:
    done = gradebeam("run", "--spec", "spec.yaml", "--input", "runs", "--output", "out", "--columns", columns)
    assert done.code == 2
    assert hint in done.err
    assert not (work / "out").exists()
