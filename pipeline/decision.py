"""What a run that was graded comes to: its comparison with a baseline, and its gates."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.compare import compare
from pipeline.gates import BoundGate
from pipeline.outputs.check_pairs import pair_by_identity
from pipeline.outputs.commit import GATES
from pipeline.outputs.comparison_files import EncodedComparison, encode_comparison
from pipeline.outputs.finished import FinishedRun
from pipeline.outputs.gate_results import GateResult, encode_gates, evaluate_gates
from pipeline.outputs.gate_tables import Records
from pipeline.outputs.render.gates import gates_section
from pipeline.runners import RunnerSetup


@dataclasses.dataclass(frozen=True)
class Decision:
    """What a run comes to.

    Attributes:
        gates: every limit of every gate, met or not.
        comparison: the comparison with the baseline; None without one.
    """

    gates: Sequence[GateResult]
    comparison: EncodedComparison | None

    @property
    def is_met(self) -> bool:
        """Whether all gates are met."""
        return all(result.is_met for result in self.gates)

    @property
    def manifest_part(self) -> dict[str, Any]:
        """What the manifest says of it."""
        compared = self.comparison
        return {
            "baseline": None if compared is None else compared.document["base"],
            "comparison_files": [] if compared is None else [*compared.texts, *compared.written],
            "gates": [dataclasses.asdict(result) for result in self.gates],
        }

    @property
    def texts(self) -> dict[str, bytes]:
        """Its files by name."""
        return {GATES: encode_gates(self.gates), **(self.comparison.texts if self.comparison else {})}

    @property
    def sections(self) -> list[str]:
        """Its part of the report, as lines of Markdown."""
        gates = ["", "## Gates", "", *gates_section(self.gates)] if self.gates else []
        compared = ["", "## Against the baseline", "", *self.comparison.sentences] if self.comparison else []
        return [*gates, *compared]


def decide(
    gates: Sequence[BoundGate],
    base: FinishedRun | None,
    run: FinishedRun,
    tables: Mapping[str, Records],
    setup: RunnerSetup,
) -> Decision:
    """Compare a run with a baseline, if there is one, and hold its gates.

    Args:
        gates: the gates.
        base: the baseline.
        run: the run, which may lie in a staging directory still; files of changes go there.
        tables: the rows of its tables.
        setup: the runner.

    Raises:
        RunError: the comparison failed.
    """
    compared = None
    if base is not None:
        pairs = pair_by_identity(base, run)
        compared = encode_comparison(compare(base, run, pairs, setup, run.directory))
    transitions = None if compared is None else compared.document["transitions"]
    return Decision(evaluate_gates(gates, tables, transitions), compared)
