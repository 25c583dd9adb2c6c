"""Rows that cannot be read are counted, named and bounded, never dropped in silence."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.pipeline.conftest import ROWS, Command, manifest, verdicts
from tests.record_files import write_avro, write_parquet

CHAT = '[{"role":"assistant","content":"done"}]'
RUN = ("run", "--spec", "spec.yaml", "--output", "out", "--input")


def _quarantine(output: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (output / "quarantine.jsonl").read_text().splitlines()]


def _chats(*texts: str | None) -> pa.Table:
    return pa.table({"trajectory_id": [f"c{at}" for at in range(len(texts))], "messages": list(texts)})


def test_unreadable_rows_are_counted_with_their_place(work: pathlib.Path, gradebeam: Command) -> None:
    texts = [CHAT, CHAT, "no json", CHAT, "{}", CHAT]
    pq.write_table(_chats(*texts), work / "chats.parquet", row_group_size=2)
    assert gradebeam(*RUN, "chats.parquet", "--max-quarantined", "0.5").code == 0
    first, second = _quarantine(work / "out")
    assert {key: first[key] for key in ("file", "row_group", "row")} == {
        "file": "chats.parquet",
        "row_group": 1,
        "row": 0,
    }
    assert (second["row_group"], second["row"]) == (2, 0)
    assert "not JSON" in first["reason"]
    assert "list" in second["reason"]
    counts = manifest(work / "out")["counts"]
    assert (counts["trajectories"], counts["quarantined_rows"], counts["verdicts"]) == (4, 2, 8)
    assert {row["trajectory_id"] for row in verdicts(work / "out")} == {"c0", "c1", "c3", "c5"}


def test_every_kind_of_unreadable_row(work: pathlib.Path, gradebeam: Command) -> None:
    kind = pa.list_(pa.struct([("type", pa.string()), ("turn", pa.int64())]))
    table = pa.table(
        {
            "trajectory_id": [None, "wide", "bad trial", "good"],
            "trial": pa.array([0, 1, 2**40, 3], pa.int64()),
            "events": pa.array([[], [{"type": "x", "turn": 2**31}], [], [{"type": "x", "turn": 1}]], kind),
        }
    )
    pq.write_table(table, work / "bad.parquet")
    spec = {"version": 1, "checks": [{"type": "hasToolCall", "turn": 0, "config": {"tool": "a"}}]}
    (work / "spec.yaml").write_text(json.dumps(spec))
    assert gradebeam(*RUN, "bad.parquet", "--max-quarantined", "0.75").code == 0
    reasons = [row["reason"].split(":")[0] for row in _quarantine(work / "out")]
    assert reasons == ["trajectory_id", "events", "trial"]
    assert [row["trajectory_id"] for row in verdicts(work / "out")] == ["good"]


def test_more_than_the_allowed_share_stops_the_run(work: pathlib.Path, gradebeam: Command) -> None:
    pq.write_table(_chats(CHAT, "{", CHAT, CHAT), work / "chats.parquet")
    done = gradebeam(*RUN, "chats.parquet", "--max-quarantined", "0.2")
    assert done.code == 3
    assert "max_quarantined" in done.err
    assert "chats.parquet" in done.err
    assert [path.name for path in (work / "out").iterdir()] == ["quarantine.jsonl"]
    assert len(_quarantine(work / "out")) == 1
    assert gradebeam(*RUN, "chats.parquet", "--max-quarantined", "0.25").code == 0, (
        "the share itself is allowed"
    )
    assert manifest(work / "out")["counts"]["quarantined_rows"] == 1


def test_one_row_in_a_thousand_is_allowed_by_default(work: pathlib.Path, gradebeam: Command) -> None:
    texts = [CHAT] * 999
    pq.write_table(_chats(*texts, "{"), work / "few.parquet")
    assert gradebeam(*RUN, "few.parquet").code == 0
    pq.write_table(_chats(*texts[:998], "{"), work / "many.parquet")
    assert gradebeam(*RUN, "many.parquet", "--overwrite").code == 3


def test_a_failed_run_does_not_mix_with_a_finished_one(work: pathlib.Path, gradebeam: Command) -> None:
    pq.write_table(_chats(CHAT, "{", CHAT, CHAT), work / "chats.parquet")
    assert gradebeam(*RUN, "runs").code == 0
    before = (work / "out" / "quarantine.jsonl").read_text()
    assert gradebeam(*RUN, "chats.parquet", "--overwrite").code == 3
    is_marked = (work / "out" / "manifest.json").exists()
    assert not is_marked or (work / "out" / "quarantine.jsonl").read_text() == before


def test_a_row_group_damaged_behind_a_good_footer(work: pathlib.Path, gradebeam: Command) -> None:
    rows = [{**ROWS[at % 6], "trajectory_id": f"r{at}"} for at in range(9)]
    file = write_parquet(work / "damaged.parquet", rows, row_group_size=3, compression="none")
    group = pq.ParquetFile(file).metadata.row_group(1)
    starts = [
        group.column(at).dictionary_page_offset or group.column(at).data_page_offset
        for at in range(group.num_columns)
    ]
    data = bytearray(file.read_bytes())
    data[min(starts) : min(starts) + 40] = b"\xff" * 40
    file.write_bytes(data)
    done = gradebeam(*RUN, "damaged.parquet", "--max-quarantined", "0.5")
    assert done.code == 0, done.err
    (lost,) = _quarantine(work / "out")
    assert (lost["row_group"], lost["row"], lost["rows"]) == (1, 0, 3)
    counts = manifest(work / "out")["counts"]
    assert (counts["trajectories"], counts["quarantined_rows"]) == (6, 3)
    assert {row["trajectory_id"] for row in verdicts(work / "out")} == {"r0", "r1", "r2", "r6", "r7", "r8"}


def test_a_page_that_arrow_passes_over(work: pathlib.Path, gradebeam: Command) -> None:
    """Of a page whose type it does not know Arrow tells nothing: the row group seems to have fewer rows."""
    rows = [{**ROWS[at % 6], "trajectory_id": f"r{at}"} for at in range(9)]
    file = write_parquet(work / "damaged.parquet", rows, row_group_size=3, use_dictionary=False)
    starts = [
        pq.ParquetFile(file).metadata.row_group(1).column(at).data_page_offset
        for at in range(pq.ParquetFile(file).metadata.num_columns)
    ]
    data = bytearray(file.read_bytes())
    for start in starts:
        data[start + 1] ^= 1  # The first field of a page's header is its type.
    file.write_bytes(data)
    done = gradebeam(*RUN, "damaged.parquet", "--max-quarantined", "0.5")
    assert done.code == 0, done.err
    (lost,) = _quarantine(work / "out")
    assert (lost["row_group"], lost["row"], lost["rows"]) == (1, 0, 3)
    assert "has 3 rows, but 0 can be read" in lost["reason"]
    assert {row["trajectory_id"] for row in verdicts(work / "out")} == {"r0", "r1", "r2", "r6", "r7", "r8"}


def test_damage_that_only_a_checksum_shows(work: pathlib.Path, gradebeam: Command) -> None:
    rows = [{**ROWS[0], "trajectory_id": f"r{at}", "output": f"marked {at}"} for at in range(4)]
    file = write_parquet(
        work / "damaged.parquet", rows, row_group_size=2, compression="none", write_page_checksum=True
    )
    file.write_bytes(file.read_bytes().replace(b"marked 2", b"mbrked 2"))
    done = gradebeam(*RUN, "damaged.parquet", "--max-quarantined", "0.5")
    assert done.code == 0, done.err
    (lost,) = _quarantine(work / "out")
    assert (lost["row_group"], lost["row"], lost["rows"]) == (1, 0, 2)
    assert {row["trajectory_id"] for row in verdicts(work / "out")} == {"r0", "r1"}


def test_an_avro_row_of_the_wrong_type(work: pathlib.Path, gradebeam: Command) -> None:
    schema = {
        "type": "record",
        "name": "t",
        "fields": [
            {"name": "trajectory_id", "type": ["null", "string"]},
            {"name": "trial", "type": ["null", "long"]},
            {
                "name": "events",
                "type": ["string", {"type": "array", "items": {"type": "map", "values": "string"}}],
            },
        ],
    }
    records = [
        {"trajectory_id": "good", "trial": 1, "events": [{"type": "tool_call", "tool_name": "save"}]},
        {"trajectory_id": "text", "trial": 1, "events": "[]"},
        {"trajectory_id": None, "trial": 1, "events": []},
        {"trajectory_id": "wide", "trial": 2**31, "events": []},
    ]
    with (work / "rows.avro").open("wb") as file:
        fastavro.writer(file, schema, records)
    assert gradebeam(*RUN, "rows.avro", "--max-quarantined", "0.75").code == 0
    rows = _quarantine(work / "out")
    assert [(row["row_group"], row["row"], row["reason"].split(":")[0]) for row in rows] == [
        (-1, 1, "events"),
        (-1, 2, "trajectory_id"),
        (-1, 3, "trial"),
    ]
    assert {row["trajectory_id"] for row in verdicts(work / "out")} == {"good"}


def test_an_avro_file_that_breaks_off(work: pathlib.Path, gradebeam: Command) -> None:
    rows = [{**ROWS[at % 6], "trajectory_id": f"r{at}"} for at in range(60)]
    file = write_avro(work / "broken.avro", rows, sync_interval=1000)
    file.write_bytes(file.read_bytes()[:-100])
    done = gradebeam(*RUN, "broken.avro", "--max-quarantined", "0.9")
    assert done.code == 0, done.err
    (lost,) = _quarantine(work / "out")
    graded = manifest(work / "out")["counts"]["trajectories"]
    assert 0 < graded < 60
    assert lost["row"] == graded
    assert len({row["trajectory_id"] for row in verdicts(work / "out")}) == graded


@pytest.mark.parametrize("share", ["-0.1", "1.5", "some", "nan"])
def test_the_share_is_a_share(work: pathlib.Path, gradebeam: Command, share: str) -> None:
    done = gradebeam(*RUN, "runs", f"--max-quarantined={share}")
    assert done.code == 2
    assert "max" in done.err
