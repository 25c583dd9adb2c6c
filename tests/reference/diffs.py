"""Diffs: that there is one, or what is in it (SEMANTICS sections 3 and 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graders.outcome import AbstainCode
from tests.reference import patterns
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.reading import View


def diff_twin(passes: Callable[[dict[str, Any], str], bool]) -> Twin:
    """The twin of a check on the diff; `passes` says whether one does."""

    def judge(config: dict[str, Any], view: View) -> Judgement:
        diff = _diff_of(view)
        if diff is None:
            return abstain(AbstainCode.MISSING_DATA)
        try:
            return decide(passes(config, diff))
        except TimeoutError:
            return abstain(AbstainCode.TIMEOUT)

    return Twin(judge, rests_on=Rest.NOTHING, reads_events=False)


def _diff_of(view: View) -> str | None:
    """The diff of the record; of a turn, the last one that is recorded for it."""
    if view.turn is None:
        return view.record.get("diff")
    diff = None
    for item in view.record.get("turn_diffs") or []:
        is_of_turn = item is not None and item.get("turn") is not None and item["turn"] == view.turn_number
        if is_of_turn and item.get("diff") is not None:
            diff = item["diff"]
    return diff


def is_found(config: dict[str, Any], diff: str) -> bool:
    """Whether the value or the pattern of a config is in a diff."""
    return patterns.is_found(config["pattern"], diff) if "pattern" in config else config["value"] in diff
