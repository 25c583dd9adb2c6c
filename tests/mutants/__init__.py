"""Seeded faults: small mistakes in `graders/`, as data, that the tests must see."""
