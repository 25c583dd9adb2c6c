"""The check types, one module each; the catalogue finds them here."""
