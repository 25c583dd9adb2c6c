"""Two check types for gradebeam: one that judges batches of columns, one that judges row by row."""
