"""What verdicts mean: checks over batches of recorded agent trajectories.

Knows Arrow, numpy and regular expressions; knows nothing of Beam, YAML, files or clocks.
"""
