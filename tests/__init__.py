"""The tests of gradebeam; README.md says how they are made."""
