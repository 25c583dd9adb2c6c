"""The first phase of a run with model judges: what must be asked is found, looked up, and asked.

It is a pipeline of its own that reads only what the judged checks need. What it leaves, a table of
replies, is input to the second phase, which is the run as always: grading stays pure, and a run that
is repeated with the same cache gives the same tables.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import uuid
from collections.abc import Sequence
from typing import Any

import pyarrow.compute as pc

from graders.families.judged import judged_checks
from graders.judging.bench import Bench, RepliesByDigest
from graders.judging.vote import ReplyStatus
from graders.scope import CheckEntry
from pipeline import files
from pipeline.errors import InvalidError, Problem
from pipeline.execution import execute, open_pipeline
from pipeline.job import JobConfig
from pipeline.judges.budget import Budget
from pipeline.judges.replies import BenchSource, Origin, close_journals, read_replies
from pipeline.runners import RunnerSetup
from pipeline.sources.inputs import InputFile
from pipeline.specs.loaded import LoadedSpec, entries_of, references_of
from pipeline.transforms.judge import AskJudges, FindRequests
from pipeline.transforms.read import ReadTrajectories

_DIRECTORY = "replies"


@dataclasses.dataclass(frozen=True)
class JudgeAccount:
    """What came of asking one judge; in a dry run, what would.

    Attributes:
        name: the judge.
        model: its model.
        requests: how many distinct requests it has.
        cached: how many of them the cache answered.
        called: how many were put to it, or would be.
        by_status: how many replies there are of each status.
        input_tokens: what it was sent in this run; in a dry run by estimate.
        output_tokens: what it replied; in a dry run at most.
        cost_usd: their price; None where the job names none.
    """

    name: str
    model: str
    requests: int
    cached: int
    called: int
    by_status: dict[str, int]
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclasses.dataclass(frozen=True)
class Judged:
    """What the first phase gives.

    Attributes:
        source: the judges with their replies; None where nobody judges.
        accounts: what came of asking each judge.
    """

    source: BenchSource | None
    accounts: tuple[JudgeAccount, ...] = ()


def judged_entries(entries: Sequence[CheckEntry]) -> list[CheckEntry]:
    """The entries on which a model has a say."""
    return [entry for entry in entries if judged_checks(entry.check)]


def check_judges(job: JobConfig, entries: Sequence[CheckEntry], *, is_local: bool) -> None:
    """See that the job has the judges that the checks name, and that they can be asked.

    Raises:
        InvalidError: it has not, or they cannot.
    """
    config = job.judges
    judged = judged_entries(entries)
    if config.effective_mode == "off" or not judged:
        return
    bench = Bench(config.judges, RepliesByDigest())
    problems: list[Problem] = []
    for entry in judged:
        for check in judged_checks(entry.check):
            try:
                check.seated(bench)
            except LookupError as error:
                hint = "name one in judges.providers of the job, or turn judging off with --judge off"
                place = f"check {entry.spec_index} ({entry.check_type})"
                problems.append(Problem(place, "", f"{error.args[0]}; {hint}"))
    if config.effective_mode == "live" and is_local and not config.dry_run:
        for provider in config.providers:
            if provider.key() is None:
                message = f"the environment variable {provider.key_name} is not set"
                problems.append(Problem(f"judges.providers, {provider.name}", "", message))
            if importlib.util.find_spec(provider.kind) is None:
                message = (
                    f"its client is not installed: pip install 'gradebeam[judges]' gives {provider.kind}"
                )
                problems.append(Problem(f"judges.providers, {provider.name}", "", message))
    if problems:
        raise InvalidError(problems)


def ask_judges(
    job: JobConfig,
    specs: Sequence[LoadedSpec],
    inputs: Sequence[InputFile],
    setup: RunnerSetup,
    staging: str,
) -> Judged:
    """Ask what the judged checks ask, of the cache first.

    Args:
        job: the job; `check_judges` found nothing wrong with it.
        specs: the specs.
        inputs: the files, found with the needs of all checks.
        setup: the runner.
        staging: the run's own directory, in which the replies are left.
    """
    config = job.judges
    entries = judged_entries(entries_of(specs))
    if config.effective_mode == "off" or not entries:
        return Judged(None)
    directory = files.join(staging, _DIRECTORY)
    cache = files.absolute(job.judge_cache, os.getcwd())
    journal = uuid.uuid4().hex  # Not the id of the run: another attempt has the same.
    files.make_directory(directory)
    if config.effective_mode == "live" and not config.dry_run:
        files.make_directory(cache)
    pipeline = open_pipeline(setup)
    read = pipeline | "ReadTrajectories" >> ReadTrajectories(
        entries=entries,
        columns=job.column_map,
        references=references_of(specs),
        inputs=inputs,
    )
    requests = read.trajectories | "FindRequests" >> FindRequests(entries, config.judges)
    _ = requests | "AskJudges" >> AskJudges(
        config.providers,
        config.effective_mode,
        Budget(config.max_calls, config.max_tokens),
        cache,
        journal,
        directory,
        is_dry=config.dry_run,
    )
    execute(pipeline, setup)
    if config.effective_mode == "live" and not config.dry_run:
        close_journals(cache, journal)
    return Judged(BenchSource(config.judges, directory), _accounts(job, directory))


def _accounts(job: JobConfig, directory: str) -> tuple[JudgeAccount, ...]:
    table = read_replies(directory).table
    accounts: list[JudgeAccount] = []
    for provider in job.judges.providers:
        rows = table.filter(pc.equal(table["judge"], provider.name))
        statuses = rows["status"].to_pylist()
        by_status = {str(status): statuses.count(status) for status in ReplyStatus if status in statuses}
        input_tokens, output_tokens = (
            pc.sum(rows[name]).as_py() or 0 for name in ("input_tokens", "output_tokens")
        )
        origins = rows["origin"].to_pylist()
        accounts.append(
            JudgeAccount(
                provider.name,
                provider.model,
                len(statuses),
                origins.count(Origin.CACHE),
                origins.count(Origin.CALL),
                by_status,
                input_tokens,
                output_tokens,
                provider.cost_usd(input_tokens, output_tokens),
            )
        )
    return tuple(accounts)


def accounts_as_json(accounts: Sequence[JudgeAccount]) -> list[dict[str, Any]]:
    """The accounts for the manifest."""
    return [dataclasses.asdict(account) for account in accounts]
