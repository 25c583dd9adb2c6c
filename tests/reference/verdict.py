"""The verdict of one spec entry on one record: the order of decision (SEMANTICS section 2)."""

from __future__ import annotations

import dataclasses
import fnmatch
from typing import Any

from graders.outcome import AbstainCode, Outcome
from tests.reference.catalog import twins
from tests.reference.judgement import Judgement, Rest, Twin, abstain
from tests.reference.reading import View


def judge(entry: dict[str, Any], record: dict[str, Any]) -> Judgement | None:
    """What a native spec entry says of a record; None where the record is outside of it."""
    return settle(entry, record) if _concerns(entry, record) else None


def settle(entry: dict[str, Any], record: dict[str, Any]) -> Judgement:
    """What an entry, or a part of a combination, says of a record that it concerns."""
    twin = twins()[entry["type"]]
    whole = View(record)
    seen = View(record, entry.get("turn"))
    if record.get("error") and not whole.has_activity:
        return abstain(AbstainCode.RUN_ERROR)
    said = twin.judge(entry.get("config", {}), seen)
    if said.code == AbstainCode.SETUP_INVALID:
        return said
    if record.get("events") is None and _is_missing(twin, entry, record):
        return abstain(AbstainCode.MISSING_DATA)
    if entry.get("negate"):
        said = _negated(said)
    rests_on = twin.rests_on if isinstance(twin.rests_on, Rest) else twin.rests_on(entry)
    return _withheld(said, rests_on, seen)


def _concerns(entry: dict[str, Any], record: dict[str, Any]) -> bool:
    sample = record.get("sample_id")
    if sample is None:
        sample = record["trajectory_id"]
    globs = entry.get("samples")
    if globs and not any(sample == glob or fnmatch.fnmatchcase(sample, glob) for glob in globs):
        return False
    tags = record.get("tags") or {}
    return all(tags.get(key) == value for key, value in entry.get("tags", {}).items())


def _is_missing(twin: Twin, entry: dict[str, Any], record: dict[str, Any]) -> bool:
    """Whether null events leave the entry with nothing to go by."""
    if entry.get("turn") is not None or twin.reads_events:
        return True
    return twin.reads_output and record.get("output") is None


def _negated(said: Judgement) -> Judgement:
    if said.outcome is Outcome.PASS:
        return dataclasses.replace(said, outcome=Outcome.FAIL)
    if said.outcome is not Outcome.FAIL or said.is_final:
        return said
    if said.is_doubtful:
        return abstain(AbstainCode.NO_EVIDENCE)
    return dataclasses.replace(said, outcome=Outcome.PASS)


def _withheld(said: Judgement, rests_on: Rest, seen: View) -> Judgement:
    """Nothing observed is never a pass."""
    if said.outcome is not Outcome.PASS:
        return said
    has_evidence = {
        Rest.NOTHING: True,
        Rest.ACTIVITY: seen.has_activity,
        Rest.OUTPUT: seen.has_activity and bool(seen.output),
        Rest.MESSAGES: seen.has_activity and bool(seen.of_type("assistant_message")),
    }[rests_on]
    return abstain(AbstainCode.NO_EVIDENCE) if said.is_unobserved or not has_evidence else said
