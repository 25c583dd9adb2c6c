"""Tests of the package `graders`."""
