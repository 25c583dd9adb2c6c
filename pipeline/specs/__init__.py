"""Spec files: from YAML or JSON text to the entries that the graders take."""
