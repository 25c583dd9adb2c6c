"""exit-success: there is an output that is not empty."""

from __future__ import annotations

from typing import Any

from tests.reference.judgement import Judgement, Twin, decide
from tests.reference.reading import View

TYPE = "exit-success"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    del config
    return decide(bool(view.output))


TWIN = Twin(_judge, reads_events=False, reads_output=True)
