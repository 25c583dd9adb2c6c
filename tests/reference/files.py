"""Files of the workspace: that there is one, or what is in it (SEMANTICS section 6)."""

from __future__ import annotations

from typing import Any

from graders.outcome import AbstainCode
from tests.reference import patterns
from tests.reference.globs import matches
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.reading import View


def file_twin(*, is_absence: bool, is_search: bool) -> Twin:
    """The twin of a check on the files that match a glob."""

    def judge(config: dict[str, Any], view: View) -> Judgement:
        if view.record.get("files") is None:
            return abstain(AbstainCode.MISSING_DATA)
        files = [
            file or {}
            for file in view.record["files"]
            if file is not None and file.get("path") is not None and matches(config["path"], file["path"])
        ]
        if not is_search:
            return decide(bool(files) != is_absence)
        is_late = False
        for file in files:
            try:
                if _is_found(config, file.get("content")):
                    return decide(not is_absence)
            except TimeoutError:
                is_late = True
        is_unread = any(file.get("content") is None for file in files)
        is_unobserved = not files or is_unread
        return abstain(AbstainCode.TIMEOUT) if is_late else decide(is_absence, is_unobserved=is_unobserved)

    return Twin(judge, rests_on=Rest.NOTHING, reads_events=False)


def _is_found(config: dict[str, Any], content: str | None) -> bool:
    if "pattern" in config:
        return patterns.is_found(config["pattern"], content)
    return content is not None and config["value"] in content
