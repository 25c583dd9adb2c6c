"""What every DoFn does that grades, or reads what grading left: it seats the judges at each batch."""

import apache_beam as beam


class JudgedDoFn(beam.DoFn):
    """A DoFn in whose batches judged checks find the replies of their judges."""

    def __init__(self, bench_source):
        """Plan to open the bench on each worker; None where nobody judges."""
        self._bench_source = bench_source
        self._bench = None

    def setup(self):
        if self._bench_source is not None:
            self._bench = self._bench_source.open()

    def _seat(self, batch):
        if self._bench is not None:
            batch.bench = self._bench
