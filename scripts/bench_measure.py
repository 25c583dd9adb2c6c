"""One start of a command, measured from outside: time, processor time, and the memory of its processes."""

from __future__ import annotations

import contextlib
import dataclasses
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

import psutil

POLL_SECONDS = 0.05


@dataclasses.dataclass(frozen=True)
class Measured:
    """One start of a command.

    Attributes:
        seconds: from its start to its end.
        cpu_seconds: on all cores, its children's included.
        tree_mb: the most memory that it and its children held at a time.
        process_mb: the most memory that one of them held.
        printed: what it wrote to its standard output.
    """

    seconds: float
    cpu_seconds: float
    tree_mb: float
    process_mb: float
    printed: str


def measure(command: Sequence[str]) -> Measured:
    """Run a command to its end, watching its process tree; where it fails, so does the benchmark."""
    began, cpu_before = time.monotonic(), _cpu_seconds_of_children()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watch = _Watch(psutil.Process(process.pid))
        watch.start()
        printed, complaint = process.communicate()
        seconds = time.monotonic() - began
    watch.join()
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{complaint}")
    # The one lacks children that nobody waited for, the other what came after the last look.
    cpu_seconds = max(_cpu_seconds_of_children() - cpu_before, sum(watch.cpu_seconds.values()))
    return Measured(seconds, cpu_seconds, watch.tree_bytes / 1e6, watch.process_bytes / 1e6, printed)


def _cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class _Watch(threading.Thread):
    """Looks at a process and its descendants again and again, until it has ended.

    Attributes:
        tree_bytes: the most memory that they held at a time.
        process_bytes: the most memory that one of them held.
        cpu_seconds: of each by its process id, as it was last seen.
    """

    def __init__(self, process: psutil.Process) -> None:
        super().__init__(daemon=True)
        self._process = process
        self.tree_bytes = 0
        self.process_bytes = 0
        self.cpu_seconds: dict[int, float] = {}

    def run(self) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            while self._process.status() != psutil.STATUS_ZOMBIE:
                self._look()
                time.sleep(POLL_SECONDS)

    def _look(self) -> None:
        held: list[int] = []
        for member in (self._process, *self._process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                cpu = member.cpu_times()
                self.cpu_seconds[member.pid] = cpu.user + cpu.system
                held.append(member.memory_info().rss)
        self.tree_bytes = max(self.tree_bytes, sum(held))
        self.process_bytes = max(self.process_bytes, *held, 0)
