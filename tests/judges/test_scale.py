"""Ten thousand judged records with faults, and a run that is killed: nothing is lost, nothing paid twice."""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.judges.conftest import KEY, Work, row
from tests.judges.stand_in import PASS, Act, Asked, StandIn

RUNS = 10_000
FAULTS = [
    Act(status=429, retry_after=0.05),
    Act(status=500, retry_after=0.05),
    Act(is_cut=True),
    Act(text="no JSON"),
    Act(text="I cannot help with that."),
]


def faulty(asked: Asked) -> Act:
    """One request in twenty meets a fault at its first attempt; those of the wire are gone at the second."""
    if asked.digest % 20 or asked.attempt:
        return PASS
    return FAULTS[asked.digest // 20 % len(FAULTS)]


def start(work: Work, *flags: str) -> subprocess.Popen[bytes]:
    """The real command in a process group of its own."""
    command = [sys.executable, "-m", "pipeline", *work.arguments(*flags)]
    environment = {**os.environ, "JUDGE_KEY": KEY}
    return subprocess.Popen(command, env=environment, start_new_session=True)


@pytest.mark.slow
def test_ten_thousand_records_with_faults_are_all_accounted_for(work: Work) -> None:
    with StandIn(faulty).running() as server:
        work.write(server, [row(number) for number in range(RUNS)], max_concurrency=16)
        assert start(work).wait(timeout=300) == 0
    assert len(server.answered) == RUNS
    assert set(server.answered.values()) == {1}
    codes = collections.Counter(verdict["code"] for verdict in work.verdicts().values())
    acts = collections.Counter(
        FAULTS[digest // 20 % len(FAULTS)].text for digest in server.answered if digest % 20 == 0
    )
    unparsable, refused = acts["no JSON"], acts["I cannot help with that."]
    assert codes == {
        "JUDGE_UNPARSABLE": unparsable, "JUDGE_REFUSED": refused, None: RUNS - unparsable - refused,
    }  # fmt: skip
    assert unparsable
    assert refused
    (account,) = work.manifest()["judges"]
    assert account["by_status"] == {"answered": RUNS}


@pytest.mark.slow
def test_a_killed_and_repeated_run_pays_for_no_reply_twice(work: Work) -> None:
    """All that has arrived when the run is killed is kept; what is under way then may be asked again."""
    at_a_time, rows = 4, 300
    with StandIn(lambda asked: Act(delay=0.01)).running() as server:
        work.write(server, [row(number) for number in range(rows)], max_concurrency=at_a_time)
        killed = start(work)
        deadline = time.monotonic() + 120
        while sum(server.answered.values()) < 60 and time.monotonic() < deadline:
            time.sleep(0.005)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait(timeout=30)
        before = sum(server.answered.values())
        assert 60 <= before < rows
        assert not (work.path / "out" / "manifest.json").exists()
        assert start(work).wait(timeout=120) == 0
    assert len(work.verdicts()) == rows
    assert {verdict["outcome"] for verdict in work.verdicts().values()} == {"pass"}
    asked_twice = sum(count - 1 for count in server.attempts.values())
    assert asked_twice <= at_a_time
    assert len(server.attempts) == rows
