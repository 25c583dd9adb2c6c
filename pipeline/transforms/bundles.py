"""What a DoFn gives out at the end of a bundle, where Beam asks for the window too."""

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.windowed_value import WindowedValue


def in_global_window(output):
    """An element, or a tagged one, as `finish_bundle` must give it; a batch job has one window."""
    window = GlobalWindow()
    if isinstance(output, beam.pvalue.TaggedOutput):
        value = WindowedValue(output.value, window.max_timestamp(), (window,))
        return beam.pvalue.TaggedOutput(output.tag, value)
    return WindowedValue(output, window.max_timestamp(), (window,))
