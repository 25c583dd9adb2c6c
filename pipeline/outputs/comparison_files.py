"""The files of a comparison, and how they appear in a directory."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from pipeline import files
from pipeline.errors import invalid
from pipeline.outputs.commit import CHANGES, COMPARISON, MANIFEST, TRANSITIONS, delete_table
from pipeline.outputs.comparison import TRANSITION_TABLE, Comparison, transitions_table
from pipeline.outputs.document import read_versioned
from pipeline.outputs.formats import to_records
from pipeline.outputs.render.comparison import comparison_section

_VERSION = 1
_REPORT = "compare.md"
_FORMATS = ("parquet", "csv")


@dataclasses.dataclass(frozen=True)
class EncodedComparison:
    """A comparison as files.

    Attributes:
        document: what `compare.json` holds.
        texts: the files by name, but for those of changes; `compare.json` comes last.
        written: paths of the files of changes, in the staging directory.
    """

    document: dict[str, Any]
    texts: dict[str, bytes]
    written: list[str]

    @property
    def sentences(self) -> list[str]:
        """The comparison as lines of Markdown."""
        return comparison_section(self.document)


def _document(comparison: Comparison, records: list[dict[str, Any]]) -> dict[str, Any]:
    """A comparison as a JSON object.

    Args:
        comparison: the comparison.
        records: the rows of its table of transitions.
    """
    return {
        "compare_version": _VERSION,
        "base": {"directory": comparison.base.label, "run_id": comparison.base.manifest["run_id"]},
        "run": {"directory": comparison.run.label, "run_id": comparison.run.manifest["run_id"]},
        "transitions": records,
        "changes": {
            "rows": sum(comparison.changes.values()),
            "files": [{"name": name, "rows": rows} for name, rows in sorted(comparison.changes.items())],
            "first": list(comparison.first_changes),
        },
    }


def encode_comparison(comparison: Comparison) -> EncodedComparison:
    """The files of a comparison."""
    table = transitions_table(comparison)
    document = _document(comparison, to_records(table))
    texts = {
        **{f"{TRANSITIONS}.{format_}": TRANSITION_TABLE.encode(table, format_) for format_ in _FORMATS},
        COMPARISON: (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace"),
    }
    return EncodedComparison(
        document, texts, [files.join(CHANGES, name) for name in sorted(comparison.changes)]
    )


def read_comparison(directory: str) -> dict[str, Any]:
    """What `compare.json` in a directory holds.

    Raises:
        InvalidError: there is none, or this version cannot read it.
    """
    path = files.join(directory, COMPARISON)
    return read_versioned(path, "comparison", "compare_version", _VERSION, advice="; compare again")


def check_comparison_output(output: str, *, overwrite: bool) -> None:
    """See that a comparison may be written to a directory.

    Raises:
        InvalidError: it holds a run, or a comparison that may not be overwritten.
    """
    if files.exists(files.join(output, MANIFEST)):
        raise invalid(output, "holds a run; give the comparison a directory of its own")
    if files.exists(files.join(output, COMPARISON)) and not overwrite:
        raise invalid(output, "holds a comparison; choose another directory, or replace it with --overwrite")


def commit_comparison(output: str, staging: str, encoded: EncodedComparison) -> None:
    """Put the files of a comparison into place, `compare.json` last.

    Args:
        output: the directory.
        staging: where the files of changes are, below `changes`.
        encoded: the files.
    """
    report = "\n".join(["# Comparison", "", *encoded.sentences]) + "\n"
    texts = {_REPORT: report.encode("utf-8", "replace"), **encoded.texts}
    for name, data in texts.items():
        with files.open_write(files.join(staging, name)) as file:
            file.write(data)
    files.delete(files.join(output, COMPARISON))
    files.delete(*(files.join(output, name) for name in texts))
    delete_table(files.join(output, CHANGES))
    for name in (*encoded.written, *texts):
        files.rename(files.join(staging, name), files.join(output, name))
