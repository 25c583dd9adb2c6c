"""Lint: what a spec says that its author probably does not mean, each finding with a fix.

A finding is no error: the spec loads, and means what SEMANTICS says. With a sample of the data, lint
also grades it and tells what the sample shows. A code never changes its meaning.
"""
