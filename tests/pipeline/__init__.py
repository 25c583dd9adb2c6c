"""Tests of the package `pipeline`."""
