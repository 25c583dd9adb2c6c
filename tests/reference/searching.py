"""Literals and patterns in the output and the messages, one text at a time (SEMANTICS sections 4 and 6)."""

from __future__ import annotations

from typing import Any

from graders.outcome import AbstainCode
from tests.reference import patterns
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.reading import View


def _is_found(config: dict[str, Any], text: str) -> bool:
    """Whether the pattern or the literal of a config is found in a text."""
    if "pattern" in config:
        return patterns.is_found(config["pattern"], text)
    literal = config["substring"] if "substring" in config else config["value"]
    if config.get("case_sensitive", False):
        return literal in text
    return literal.casefold() in text.casefold()


def output_search(*, is_absence: bool) -> Twin:
    """The twin of a search of the final output."""

    def judge(config: dict[str, Any], view: View) -> Judgement:
        try:
            found = view.output is not None and _is_found(config, view.output)
        except TimeoutError:
            return abstain(AbstainCode.TIMEOUT)
        return decide(not found if is_absence or config.get("negate") else found)

    return Twin(judge, rests_on=Rest.OUTPUT, reads_events=False, reads_output=True)


def transcript_search(*, is_absence: bool) -> Twin:
    """The twin of a search of each assistant message by itself."""

    def judge(config: dict[str, Any], view: View) -> Judgement:
        wants_absence = is_absence or config.get("negate", False)
        messages = view.of_type("assistant_message")
        if not messages:
            return decide(passed=False)
        is_late = False
        for at, message in messages:
            content = message.get("content")
            try:
                if content is not None and _is_found(config, content):
                    return decide(not wants_absence, at)
            except TimeoutError:
                is_late = True
        return abstain(AbstainCode.TIMEOUT) if is_late else decide(wants_absence)

    return Twin(judge, rests_on=Rest.MESSAGES)
