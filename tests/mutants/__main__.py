"""Try the mutants, and tell which ones the tests do not see: see tests/README.md."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import pathlib
import queue
import sys
import time

from tests.mutants.catalog import Mutant, StaleError, all_mutants
from tests.mutants.trial import Finding, copied_project, run_tests, try_mutant


def _try(mutant: Mutant, copies: queue.SimpleQueue[pathlib.Path], limit_s: float) -> tuple[Finding, str]:
    """A trial in a copy that no other one is using."""
    copy = copies.get()
    try:
        return try_mutant(mutant, copy, limit_s)
    except StaleError as error:
        return Finding.BROKEN, str(error)
    finally:
        copies.put(copy)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="the mutants to try, or names of files; all without")
    parser.add_argument("-n", type=int, default=2, help="how many at a time (%(default)s)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for the tests of one (%(default)s)")
    parser.add_argument("--skip-unchanged", action="store_true", help="do not test the unchanged code first")
    return parser.parse_args()


def _chosen(names: list[str]) -> list[Mutant]:
    chosen = [mutant for mutant in all_mutants() if not names or {mutant.name, mutant.file} & set(names)]
    if unknown := set(names) - {word for mutant in chosen for word in (mutant.name, mutant.file)}:
        sys.exit(f"no mutant is called {', '.join(sorted(unknown))}")
    return chosen


def main() -> int:
    """Try what is asked for; 1 when a mutant is not killed."""
    options = _parse()
    chosen = _chosen(options.names)
    copies: queue.SimpleQueue[pathlib.Path] = queue.SimpleQueue()
    start, counts = time.monotonic(), dict.fromkeys(Finding, 0)
    with contextlib.ExitStack() as stack:
        for _ in range(options.n):
            copies.put(copy := stack.enter_context(copied_project()))
        if not options.skip_unchanged:
            finding, words = run_tests(copy, "", options.limit)
            if finding is not Finding.SURVIVED:
                print(f"the tests fail without a mutant already: {words}")
                return 1
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(options.n))
        trials = pool.map(lambda mutant: _try(mutant, copies, options.limit), chosen)
        for mutant, (finding, words) in zip(chosen, trials, strict=True):
            counts[finding] += 1
            print(f"{finding:9}  {mutant.name}", flush=True)
            if finding is not Finding.KILLED:
                print(f"           {mutant.file}: {mutant.meaning}\n           {words}", flush=True)
    told = ", ".join(f"{count} {finding}" for finding, count in counts.items() if count)
    print(f"{len(chosen)} mutants: {told}; {time.monotonic() - start:.0f} s")
    return 0 if counts[Finding.KILLED] == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
