"""The workers of a local run: the death of one of them, or an interrupt, ends it at once.

Beam's local runner waits for ever for a worker that was killed, and when it is interrupted, for
what its workers are doing. So they are killed here in both cases.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Generator
from types import FrameType

from pipeline.errors import RunError

_BEAM_THREAD = "run_worker"  # It waits for one worker process, and raises where that ends with an error.


@contextlib.contextmanager
def watched_workers() -> Generator[None]:
    """Run what is inside until it ends, a worker dies, or a SIGINT or SIGTERM comes.

    Raises:
        RunError: a worker died.
        KeyboardInterrupt: a signal came.
    """
    if threading.current_thread() is not threading.main_thread():  # Only that one gets signals.
        yield
        return
    deaths: list[str] = []
    is_interrupted = False
    report = threading.excepthook

    def notice(failure: threading.ExceptHookArgs) -> None:
        if failure.thread is None or failure.thread.name != _BEAM_THREAD:
            report(failure)
        elif not is_interrupted and not deaths:
            deaths.append(str(failure.exc_value))
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal is_interrupted
        is_interrupted = True  # From here on workers die because they are killed.
        _kill_children()
        signal.default_int_handler(number, frame)

    handlers = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    threading.excepthook = notice
    try:
        yield
    except BaseException:  # In one process, Beam makes an error of its own of the interrupt of a DoFn.
        if deaths:
            message = f"a worker process died: {deaths[0]}; was it killed, or is there too little memory?"
            raise RunError(message) from None
        if is_interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        threading.excepthook = report
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _kill_children() -> None:
    import psutil  # noqa: PLC0415  (seldom needed)

    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
