"""Check types that break what grades them, in ways that a test can foresee.

A marker is a file that the first of all workers to come by creates, so that what happens, happens once.
"""

from __future__ import annotations

import os
import signal
import time
from typing import ClassVar

from pydantic import Field

from graders.outcome import Outcome
from graders.row_check import RowCheck, Trajectory


class _Marked(RowCheck):
    """What happens at one trajectory, once."""

    reads: ClassVar[frozenset[str]] = frozenset()

    id: str = Field(description="The trajectory at which it happens.")
    marker: str = Field(description="The file that says that it has happened.")

    def grade(self, trajectory: Trajectory) -> Outcome:
        """Let it happen, and pass."""
        if trajectory.trajectory_id == self.id:
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return Outcome.PASS
            self._happen()
        return Outcome.PASS

    def _happen(self) -> None:
        raise NotImplementedError


class KillsWorker(_Marked):
    """Kill the process that grades."""

    type_name: ClassVar[str] = "kills-worker"

    def _happen(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Waits(_Marked):
    """Grade for a long time."""

    type_name: ClassVar[str] = "waits"

    def _happen(self) -> None:
        time.sleep(60)


class LosesDisk(RowCheck):
    """Take the directory of the verdicts away the first time, and bring it back the third time."""

    type_name: ClassVar[str] = "loses-disk"
    reads: ClassVar[frozenset[str]] = frozenset()

    id: str = Field(description="The trajectory at which it happens.")
    marker: str = Field(description="A file that counts the times.")
    output: str = Field(description="The output directory of the run.")

    def grade(self, trajectory: Trajectory) -> Outcome:
        """Let it happen, and pass."""
        if trajectory.trajectory_id != self.id:
            return Outcome.PASS
        with open(self.marker, "a") as marker:
            marker.write("x")
        times = os.path.getsize(self.marker)
        (staging,) = (name for name in os.listdir(self.output) if name.startswith(".staging-"))
        verdicts = os.path.join(self.output, staging, "verdicts")
        if times == 1:
            os.rename(verdicts, f"{verdicts}-away")
        elif times == 3:
            os.rename(f"{verdicts}-away", verdicts)
        return Outcome.PASS


class CrashesEvery(RowCheck):
    """Crash on every so manieth trajectory, by the number at the end of its id."""

    type_name: ClassVar[str] = "crashes-every"
    reads: ClassVar[frozenset[str]] = frozenset()

    rows: int = Field(ge=1, description="How many trajectories there are to a crash.")

    def grade(self, trajectory: Trajectory) -> Outcome:
        """Crash, or pass."""
        if int(trajectory.trajectory_id[1:]) % self.rows == 0:
            raise ZeroDivisionError("crashed on purpose")
        return Outcome.PASS
