"""Hypothesis strategies: records of any shape, and spec entries of any check type.

Vocabularies are small on purpose: ids repeat, names share prefixes, contents hold what patterns
capture. Chance seldom finds such things among all texts there are.
"""
