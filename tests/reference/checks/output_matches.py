"""outputMatches: the final output contains a text, or does not."""

from __future__ import annotations

from typing import Any

from graders.outcome import AbstainCode
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.paths import text_at
from tests.reference.reading import View

TYPE = "outputMatches"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    wanted = config.get("value")
    if "referencePath" in config:
        wanted = text_at(view.record.get("reference"), config["referencePath"])
        if wanted is None:
            return abstain(AbstainCode.SETUP_INVALID)
    output = view.output or ""
    if not config.get("caseSensitive", True):
        wanted, output = wanted.casefold(), output.casefold()
    return decide((wanted in output) == (config.get("mode", "contains") == "contains"))


TWIN = Twin(_judge, rests_on=Rest.OUTPUT, reads_events=False, reads_output=True)
