"""What a finished run came to, as metrics in the text format of Prometheus."""

from __future__ import annotations

import datetime
import importlib.util
import os
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline import files
from pipeline.errors import invalid

_OUTCOMES = ("passed", "failed", "abstained")


def check_metrics_file(path: str) -> None:
    """See that metrics can be written to a file.

    Raises:
        InvalidError: it lies where none can be, or the client of Prometheus is not installed.
    """
    if files.is_remote(path):
        raise invalid("--metrics-file", f"{path} is no local path; a collector on this machine reads it")
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise invalid("--metrics-file", f"the directory of {path} is not there")
    if importlib.util.find_spec("prometheus_client") is None:
        raise invalid("--metrics-file", "needs prometheus-client: pip install 'gradebeam[metrics]'")


def write_metrics(path: str, manifest: Mapping[str, Any], types: Sequence[Mapping[str, Any]]) -> None:
    """Write the metrics of a run, for the textfile collector of a node exporter; the file appears as a whole.

    Every metric has the label `spec`, the names of the specs, so that files of several jobs can lie side by
    side.

    Args:
        path: where to.
        manifest: the manifest of the run.
        types: the rows of its table of check types.

    Raises:
        OSError: it cannot be written.
    """
    from prometheus_client import CollectorRegistry, Gauge, write_to_textfile  # noqa: PLC0415  (an extra)

    registry = CollectorRegistry()
    spec = ",".join(each["name"] or os.path.basename(each["file"]) for each in manifest["specs"])

    def gauge(name: str, meaning: str, *labels: str) -> Gauge:
        return Gauge(f"gradebeam_{name}", meaning, ("spec", *labels), registry=registry)

    counts, timings = manifest["counts"], manifest["timings"]
    gauge("trajectories", "Trajectories that were graded.").labels(spec).set(counts["trajectories"])
    gauge("quarantined_rows", "Rows that could not be read.").labels(spec).set(counts["quarantined_rows"])
    verdicts = gauge("verdicts", "Verdicts by check type and outcome.", "check_type", "outcome")
    for row in types:
        if not row["slice_key"]:
            for outcome in _OUTCOMES:
                verdicts.labels(spec, row["check_type"], outcome).set(row[outcome])
    gates = gauge("gates", "Limits of gates by whether they are met.", "is_met")
    for is_met in (True, False):
        gates.labels(spec, str(is_met).lower()).set(
            sum(gate["is_met"] is is_met for gate in manifest["gates"])
        )
    gauge("run_seconds", "How long the run took.").labels(spec).set(timings["total_seconds"])
    gauge("pipeline_seconds", "How long its pipeline took.").labels(spec).set(timings["pipeline_seconds"])
    finished = datetime.datetime.fromisoformat(timings["finished_at"]).timestamp()
    gauge("finished_timestamp_seconds", "When it finished.").labels(spec).set(finished)
    write_to_textfile(path, registry)
