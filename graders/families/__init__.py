"""What several check types have in common, one family a module."""
