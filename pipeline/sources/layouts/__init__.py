"""Layouts of a record: how its events are written, one module each."""
