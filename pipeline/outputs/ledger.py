"""The ledger of a run: what came of everything, read back and checked."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from graders.scope import CheckEntry
from graders.tally import Tally
from pipeline import files
from pipeline.errors import RunError


@dataclasses.dataclass(frozen=True)
class Ledger:
    """What came of a run.

    Attributes:
        cells: the tally of each (spec index, check type).
        files: rows of each verdict file that counts, by its name.
        graded: how many trajectories were read and graded.
        quarantine: rows that could not be read, in order of their place.
        repeated: how many ids more than one trajectory has.
        repeated_rows: how many trajectories have one of them.
        repeated_ids: the first thousand of these ids, sorted.
    """

    cells: Mapping[tuple[int, str], Tally]
    files: Mapping[str, int]
    graded: int
    quarantine: Sequence[Mapping[str, Any]]
    repeated: int
    repeated_rows: int
    repeated_ids: Sequence[str]

    @property
    def quarantined_rows(self) -> int:
        """How many rows are known to be unreadable."""
        return sum(max(rows["rows"], 1) for rows in self.quarantine)


_LISTED_IDS = 1000


def read_lines(directory: str) -> dict[str, list[dict[str, Any]]]:
    """Read the lines that `WriteLedger` left in a directory, by their kind.

    Raises:
        RunError: there are none, so the run did not come to its end.
    """
    found = files.list_names(directory, "ledger-", ".jsonl")
    if not found:
        raise RunError("the run left no ledger: it did not come to its end")
    with files.open_read(files.join(directory, found[0])) as file:
        lines = [json.loads(line) for line in file.read().splitlines()]
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        by_kind.setdefault(line.pop("kind"), []).append(line)
    return by_kind


def read_ledger(directory: str) -> Ledger:
    """Read the ledger of a run.

    Raises:
        RunError: there is none, so the run did not come to its end.
    """
    by_kind = read_lines(directory)
    cells: dict[tuple[int, str], Tally] = {}
    for line in by_kind.get("cell", []):
        spec_index, check_type = line["key"]
        tally = Tally(*line["tally"])
        cells[spec_index, check_type] = tally._replace(abstained=tuple(tally.abstained))
    ids = by_kind.get("ids", [])
    quarantine = sorted(
        by_kind.get("quarantine", []), key=lambda rows: (rows["file"], rows["row_group"], rows["row"])
    )
    return Ledger(
        cells=cells,
        files={line["name"]: line["rows"] for line in by_kind.get("file", [])},
        graded=sum(line["rows"] for line in ids),
        quarantine=quarantine,
        repeated=sum(line["repeated"] for line in ids),
        repeated_rows=sum(line["repeated_rows"] for line in ids),
        repeated_ids=sorted(text for line in ids for text in line["repeated_ids"])[:_LISTED_IDS],
    )


def check_accounts(ledger: Ledger, entries: Sequence[CheckEntry], known_rows: int | None) -> list[str]:
    """What does not add up; empty when every record and every verdict is accounted for.

    Args:
        ledger: what came of the run.
        entries: the checks of the spec.
        known_rows: the rows that the inputs say they have; None where they do not tell.
    """
    wrong: list[str] = []
    expected = {(entry.spec_index, entry.check_type) for entry in entries}
    if foreign := set(ledger.cells) - expected:
        wrong.append(f"cells that no check has: {sorted(foreign)}")
    accounted = ledger.graded + ledger.quarantined_rows
    if known_rows is not None and accounted != known_rows:
        wrong.append(
            f"{known_rows} rows in the input, but {ledger.graded} graded and"
            f" {ledger.quarantined_rows} in quarantine"
        )
    for entry in entries:
        total = ledger.cells.get((entry.spec_index, entry.check_type), Tally()).total
        is_for_all = not entry.samples and not entry.tags
        if total > ledger.graded or (is_for_all and total != ledger.graded):
            wrong.append(
                f"check {entry.spec_index} ({entry.check_type}) has {total} verdicts for"
                f" {ledger.graded} trajectories"
            )
    written = sum(ledger.files.values())
    tallied = sum(tally.total for tally in ledger.cells.values())
    if written != tallied:
        wrong.append(f"{tallied} verdicts were counted, but {written} written")
    return wrong
