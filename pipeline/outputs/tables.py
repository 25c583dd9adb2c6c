"""The tables that are made of the ledger alone, each in the formats that a job asks for."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from pipeline.outputs.ledger import Ledger
from pipeline.outputs.scores import SCORES, score_table
from pipeline.outputs.summary import SUMMARY, summary_table
from pipeline.outputs.types import TYPES, type_table
from pipeline.specs.loaded import LoadedSpec, entries_of

FORMS = {form.name: form for form in (SUMMARY, SCORES, TYPES)}


def make_tables(ledger: Ledger, specs: Sequence[LoadedSpec]) -> dict[str, pa.Table]:
    """The tables of a run by name: `summary`, `scores` and `types`."""
    entries = entries_of(specs)
    return {
        SUMMARY.name: summary_table(ledger.cells, entries, ledger.clusters, ledger.replicates),
        SCORES.name: score_table(ledger.samples, [spec.name for spec in specs], ledger.replicates),
        TYPES.name: type_table(ledger.cells, entries),
    }


def encode_tables(tables: dict[str, pa.Table], formats: Sequence[str]) -> dict[str, bytes]:
    """The files of tables by their names."""
    return {
        f"{name}.{format_}": FORMS[name].encode(table, format_)
        for name, table in tables.items()
        for format_ in formats
    }
