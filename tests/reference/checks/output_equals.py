"""output-equals: the whole final output is a text."""

from __future__ import annotations

from typing import Any

from graders.outcome import AbstainCode
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.paths import text_at
from tests.reference.reading import View

TYPE = "output-equals"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    wanted = config.get("value")
    if "referencePath" in config:
        wanted = text_at(view.record.get("reference"), config["referencePath"])
        if wanted is None:
            return abstain(AbstainCode.SETUP_INVALID)
    output = view.output
    if output is None:
        return decide(passed=False)
    if config.get("caseSensitive", True):
        return decide(output == wanted)
    return decide(output.casefold() == wanted.casefold())


TWIN = Twin(_judge, rests_on=Rest.OUTPUT, reads_events=False, reads_output=True)
