"""The accounts of a run: whether every record and every verdict is accounted for."""

from __future__ import annotations

from collections.abc import Sequence

from graders.scope import CheckEntry
from graders.tally import Tally
from pipeline.outputs.commit import SAMPLES, TRAJECTORIES
from pipeline.outputs.ledger import Ledger


def check_accounts(
    ledger: Ledger, entries: Sequence[CheckEntry], known_rows: int | None, specs: int = 1
) -> list[str]:
    """What does not add up; empty when every record and every verdict is accounted for.

    Args:
        ledger: what came of the run.
        entries: the checks of all specs.
        known_rows: the rows that the inputs say they have; None where they do not tell.
        specs: how many specs there are.
    """
    wrong: list[str] = []
    cells = ledger.whole_cells
    expected = {(entry.spec_index, entry.check_type) for entry in entries}
    if foreign := {cell[:2] for cell in ledger.cells} - expected:
        wrong.append(f"cells that no check has: {sorted(foreign)}")
    accounted = ledger.graded + ledger.quarantined_rows
    if known_rows is not None and accounted != known_rows:
        wrong.append(
            f"{known_rows} rows in the input, but {ledger.graded} graded and"
            f" {ledger.quarantined_rows} in quarantine"
        )
    for entry in entries:
        total = cells.get((entry.spec_index, entry.check_type), Tally()).total
        is_for_all = not entry.samples and not entry.tags
        if total > ledger.graded or (is_for_all and total != ledger.graded):
            wrong.append(
                f"check {entry.spec_index} ({entry.check_type}) has {total} verdicts for"
                f" {ledger.graded} trajectories"
            )
    written = sum(ledger.verdict_files.values())
    tallied = sum(tally.total for tally in cells.values())
    if written != tallied:
        wrong.append(f"{tallied} verdicts were counted, but {written} written")
    return wrong + _wrong_slices(ledger) + _wrong_scores(ledger, specs)


def _wrong_slices(ledger: Ledger) -> list[str]:
    """Slice keys over whose values a check's counts are not those of all trajectories."""
    sums: dict[tuple[int, str, str], Tally] = {}
    for (spec_index, check_type, slice_key, _), tally in ledger.cells.items():
        earlier = sums.get((spec_index, check_type, slice_key), Tally())
        sums[spec_index, check_type, slice_key] = earlier.merge(tally)
    slice_keys = sorted({slice_key for _, slice_key, _ in ledger.samples if slice_key})
    return [
        f"check {spec_index} ({check_type}) has {tally.total} verdicts, but"
        f" {of_values.total} over the values of {slice_key}, or other outcomes"
        for (spec_index, check_type), tally in ledger.whole_cells.items()
        for slice_key in slice_keys
        if (of_values := sums.get((spec_index, check_type, slice_key), Tally()))
        != tally._replace(seen_tools=0)
    ]


def _wrong_scores(ledger: Ledger, specs: int) -> list[str]:
    """Where not every trajectory was scored once, and counted once with its sample."""
    wrong: list[str] = []
    written = sum(ledger.files.get(TRAJECTORIES, {}).values())
    if written != ledger.graded * specs:
        wrong.append(f"{ledger.graded} trajectories, but {written} scores of {specs} spec(s) written")
    trials: dict[tuple[int, str], int] = {}
    for (spec, slice_key, _), rows in ledger.samples.items():
        key = (spec, slice_key)
        trials[key] = trials.get(key, 0) + sum(row[0] * row[3] for row in rows)
    wrong += [
        f"{ledger.graded} trajectories, but {count} trials of samples in spec {spec}"
        + (f" over the values of {slice_key}" if slice_key else "")
        for (spec, slice_key), count in trials.items()
        if count != ledger.graded
    ]
    samples = sum(row[3] for rows in ledger.samples.values() for row in rows)
    listed = sum(ledger.files.get(SAMPLES, {}).values())
    if samples != listed:
        wrong.append(f"{samples} samples were counted, but {listed} written")
    return wrong
