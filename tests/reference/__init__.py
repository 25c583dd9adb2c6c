"""The naive twin: SEMANTICS read aloud, one record at a time.

Slow and plain on purpose. It shares no code with `graders` but the names of outcomes and codes
and the compiling of patterns, so that a mistake must be made twice to go unnoticed.
"""
