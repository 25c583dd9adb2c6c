"""loop-outcome: the agent looped, or did not."""

from __future__ import annotations

from typing import Any

from tests.reference.judgement import Judgement, Twin, decide
from tests.reference.loops import longest_run, watched_calls
from tests.reference.reading import View

TYPE = "loop-outcome"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    calls, match = watched_calls(config, view), config.get("match", "name-args")
    accepted, should_loop = config["max_acceptable_retries"], config.get("should_loop", False)
    run, end = longest_run(config, match, calls)
    is_looping = run - 1 > accepted
    # Bad arguments equal none; had they been equal, there may have been the loop that is wanted.
    could_run, _ = longest_run(config, match, calls, waive_bad=True)
    is_doubtful = should_loop and could_run - 1 > accepted
    return decide(is_looping == should_loop, end if is_looping else None, is_doubtful=is_doubtful)


TWIN = Twin(_judge)
