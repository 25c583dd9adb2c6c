"""The importable transforms: read trajectories, grade them, tabulate.

Example:
    >>> import apache_beam as beam
    >>> from pipeline.specs.load import load_spec
    >>> from pipeline.transforms import Grade, ReadTrajectories, Tabulate
    >>> spec = load_spec("configs/specs/demo.yaml")
    >>> from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
    >>> with beam.Pipeline(runner=FnApiRunner()) as p:
    ...     read = p | ReadTrajectories(["runs/*.parquet"], entries=spec.entries)
    ...     graded = read.trajectories | Grade(spec.entries)
    ...     _ = graded.counts | Tabulate() | beam.Map(print)
"""

from pipeline.transforms.grade import Grade, GradedTrajectories
from pipeline.transforms.read import ReadTrajectories
from pipeline.transforms.tabulate import Tabulate

__all__ = ["Grade", "GradedTrajectories", "ReadTrajectories", "Tabulate"]
