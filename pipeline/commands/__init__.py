"""The commands of `gradebeam`, one module each: `SUMMARY`, `add_arguments` and `start`."""
