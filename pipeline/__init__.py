"""gradebeam's pipeline: reads trajectories, grades them with Apache Beam, writes tables.

The importable transforms are `ReadTrajectories`, `Grade` and `Tabulate` of
`pipeline.transforms`; importing this package alone imports no Beam.
"""
