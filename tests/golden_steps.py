"""The steps of the demo's pipeline by name, which are kept in `tests/golden/steps.txt`."""

from __future__ import annotations

import pathlib
from typing import Any

import apache_beam as beam

from pipeline.build import build
from pipeline.sources.inputs import InputFile
from pipeline.sources.records import ColumnMap
from pipeline.specs.load import load_spec

STEPS = pathlib.Path(__file__).parent / "golden" / "steps.txt"
_SPEC = pathlib.Path(__file__).parents[1] / "configs" / "specs" / "demo.yaml"


def step_names() -> str:
    """The full names of all steps but those that Beam names by its own lines, in the order of the graph."""
    pipeline = beam.Pipeline(runner="FnApiRunner")
    build(
        pipeline,
        specs=[load_spec(str(_SPEC))],
        inputs=[InputFile("a.parquet", 1, ())],
        columns=ColumnMap(),
        staging="staging",
    )
    names: list[str] = []

    class Visitor(beam.pipeline.PipelineVisitor):
        def visit_transform(self, transform_node: Any) -> None:
            if "<lambda" not in transform_node.full_label:
                names.append(transform_node.full_label)

    pipeline.visit(Visitor())
    return "".join(f"{name}\n" for name in names)
