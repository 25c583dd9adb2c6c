"""The twins of the check types, one module each."""
