"""The flags of `gradebeam run` that concern model judges, and what a dry run prints."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from pipeline.judges.config import JudgeMode

if TYPE_CHECKING:
    from pipeline.judging import JudgeAccount

_FLAGS = {
    "mode": "judge",
    "cache": "judge_cache",
    "max_calls": "judge_max_calls",
    "max_tokens": "judge_max_tokens",
    "dry_run": "judge_dry_run",
}


def add_judge_options(parser: argparse.ArgumentParser) -> None:
    """Let a command take the flags."""
    modes = get_args(JudgeMode)
    parser.add_argument("--judge", choices=modes, help="whether models judge (live if the job has providers)")
    parser.add_argument("--judge-cache", metavar="DIR", help="replies of judges (beside the output)")
    parser.add_argument("--judge-max-calls", metavar="N", type=int, help="the most requests of the run")
    parser.add_argument("--judge-max-tokens", metavar="N", type=int, help="the most tokens, by estimate")
    parser.add_argument(
        "--judge-dry-run",
        action="store_true",
        default=None,
        help="say what would be asked and what it may cost; grade nothing",
    )


def judge_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings under `judges` of the job that were given as flags."""
    given = {name: getattr(options, flag) for name, flag in _FLAGS.items()}
    return {name: value for name, value in given.items() if value is not None}


def print_plan(accounts: Sequence[JudgeAccount]) -> None:
    """Print what a run would ask."""
    for account in accounts:
        past = account.by_status.get("past_budget", 0)
        cost = "of unknown price" if account.cost_usd is None else f"at most {account.cost_usd:,.2f} USD"
        print(
            f"{account.name} ({account.model}): {account.requests:,} requests, {account.cached:,} in the"
            f" cache, {past:,} past the budget; {account.called:,} calls with about"
            f" {account.input_tokens:,} tokens in and at most {account.output_tokens:,} out, {cost}"
        )
    if not accounts:
        print("no judge would be asked")
