"""What failed as annotations of GitHub Actions, which show at the line of the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.outputs.render.gates import limit_title
from pipeline.outputs.render.table import check_name, interval, percent
from pipeline.outputs.visible_text import visible
from pipeline.plurals import counted

Row = Mapping[str, Any]


def github_annotations(manifest: Row, records: Sequence[Row]) -> list[str]:
    """One line per check that some run failed, a warning or for an advisory check a notice, and missed limit.

    Args:
        manifest: the manifest of the run.
        records: the rows of its summary.
    """
    rows = {row["spec_index"]: row for row in records if not row["slice_key"]}
    lines: list[str] = []
    for check in manifest["checks"]:
        row = rows[check["spec_index"]]
        if not row["failed"]:
            continue
        file, line = _place(check["place"], manifest["specs"][check["spec"]]["file"])
        name = f"{row['spec_index']} {check_name(row)}"
        failed = f"{counted(row['failed'], 'run')} failed"
        message = f"{failed}; {percent(row['pass_rate'])} passed ({interval(row)})"
        level = "notice" if row["advisory"] else "warning"
        properties = {"file": file, "line": line, "title": f"check {name}"}
        lines.append(_annotation(level, properties, message))
    lines += [_missed(limit) for limit in manifest.get("gates") or [] if not limit["is_met"]]
    return lines


def _missed(limit: Row) -> str:
    file, _, line = limit["place"].rpartition(":")
    properties = {"file": file, "line": line, "title": f"gate {limit_title(limit)}, {limit['over']}"}
    return _annotation("error", properties, limit["reason"])


def _place(place: str, file: str) -> tuple[str, str]:
    """File and line of a place such as `spec.yaml:3: checks[0]`."""
    line = place.removeprefix(f"{file}:").split(":", 1)[0]
    return file, line if line.isdigit() else "1"


def _annotation(level: str, properties: Mapping[str, str], message: str) -> str:
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_escape(message)}"


def _escape(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
