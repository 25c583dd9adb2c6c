"""Tests of runs on runners whose workers share nothing with the process that starts them, and of faults."""
