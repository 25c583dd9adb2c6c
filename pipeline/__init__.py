"""gradebeam's pipeline: reads trajectories, grades them with Apache Beam, writes tables.

The importable transforms are `ReadTrajectories`, `Grade` and `Tabulate` of
`pipeline.transforms`; importing this package alone imports no Beam.
"""

import os
import sys

# Each batch takes and frees some ten megabytes, in one thread and in another. jemalloc keeps freed pages for
# the next: measured, a quarter less memory than with Arrow's own choice, and a tenth less time. Arrow and its
# jemalloc look at this once, when they are loaded; worker processes inherit it. A choice of the user stands.
if sys.platform in ("darwin", "linux"):  # Elsewhere Arrow is built without.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")
    os.environ.setdefault("JE_ARROW_MALLOC_CONF", "dirty_decay_ms:10000,muzzy_decay_ms:0")
