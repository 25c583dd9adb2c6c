"""max-repeat: no action was repeated too often."""

from __future__ import annotations

from typing import Any

from tests.reference.judgement import Judgement, Twin, decide
from tests.reference.loops import longest_run, watched_calls
from tests.reference.reading import View

TYPE = "max-repeat"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    run, end = longest_run(config, config.get("match", "observation"), watched_calls(config, view))
    return decide(run <= config["max"], None if run <= config["max"] else end)


TWIN = Twin(_judge)
