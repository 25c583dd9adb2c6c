"""tool-error-rate: at most a share of the tool results failed."""

from __future__ import annotations

from typing import Any

from graders.outcome import AbstainCode
from tests.reference.budgets import is_listed
from tests.reference.judgement import Judgement, Twin, abstain, decide
from tests.reference.reading import View

TYPE = "tool-error-rate"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    try:
        results = [
            (at, result)
            for at, result in view.of_type("tool_result")
            if is_listed(config, view.result_names[at])
        ]
    except TimeoutError:
        return abstain(AbstainCode.TIMEOUT)
    if not results:
        return decide(passed=True, is_unobserved=True)
    if all(result.get("is_error") is None for _, result in results):
        return abstain(AbstainCode.MISSING_DATA)
    failed = [at for at, result in results if result.get("is_error")]
    # The limit is a float, the nearest to what is written, and so is the share: 1 of 10 is 0.1.
    return decide(len(failed) / len(results) <= config["max"], failed[0] if failed else None)


TWIN = Twin(_judge)
