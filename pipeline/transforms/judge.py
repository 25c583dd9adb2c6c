"""Judging: what must be asked, which of it the cache knows, and the calls for the rest.

The first phase of a run with model judges. It ends in files of replies; the second phase grades and
looks them up. So a reply is never joined to a trajectory by a shuffle, and the tables are those of
any other run.
"""

import concurrent.futures
import zlib
from collections.abc import Iterable, Sequence

import apache_beam as beam
from apache_beam.ml.inference.base import PredictionResult, RemoteModelHandler, RunInference

from graders.batch import TrajectoryBatch
from graders.grading import grade
from graders.judging.bench import Bench, RequestNotes
from graders.judging.request import Judge, JudgeRequest
from graders.judging.vote import Reply, ReplyStatus
from graders.scope import CheckEntry
from pipeline.judges.budget import Budget, input_tokens, output_tokens
from pipeline.judges.clients import AskingProvider
from pipeline.judges.config import JudgeMode, Provider
from pipeline.judges.replies import KEPT, Journal, Origin, ReplyRow, read_cache, reply_row, write_part
from pipeline.transforms.bundles import in_global_window

PackedRequest = bytes
"""A request as compressed JSON: records are long, and shuffled."""

_CALLS_PER_THREAD = 16
_NOT_CACHED = Reply(ReplyStatus.UNAVAILABLE, "the cache has no reply, and no judge is asked (cache-only)")
_PAST_BUDGET = Reply(ReplyStatus.PAST_BUDGET, "the budget of the run is spent")
_DRY = Reply(ReplyStatus.UNAVAILABLE, "a dry run asks nobody")


class FindRequests(beam.PTransform):
    """Find out what must be asked about trajectories.

    Goes in: a PCollection of `TrajectoryBatch`. Comes out: a PCollection of (digest,
    `PackedRequest`), one per distinct request of the whole input.
    """

    def __init__(self, entries: Sequence[CheckEntry], judges: Sequence[Judge]):
        """Plan to ask what the entries ask of the judges."""
        super().__init__()
        self._note = _NoteRequests(entries, judges)

    def expand(self, trajectories):
        return (
            trajectories
            | "NoteRequests" >> beam.ParDo(self._note)
            | "GroupRequests" >> beam.GroupByKey()
            | "TakeOne" >> beam.Map(_first).with_output_types(tuple[bytes, PackedRequest])
        )


def _first(group):
    digest, packed = group
    return digest, next(iter(packed))


@beam.typehints.with_output_types(tuple[bytes, PackedRequest])
class _NoteRequests(beam.DoFn):
    def __init__(self, entries, judges):
        self._entries = entries
        self._judges = judges

    def process(self, batch: TrajectoryBatch):
        notes = RequestNotes()
        batch.bench = Bench(self._judges, notes)
        for _ in grade(self._entries, batch):
            pass  # Grading without replies notes what it looks for.
        for digest, request in notes.items():
            yield digest, zlib.compress(request.encode(), 1)


def unpack(packed: PackedRequest) -> JudgeRequest:
    """The request that was packed."""
    return JudgeRequest.decode(zlib.decompress(packed))


class AskJudges(beam.PTransform):
    """Answer requests from a cache and, for what it lacks and the budget allows, by calls.

    Goes in: what `FindRequests` gives. Comes out: nothing; each request has a row in the
    `part-*.parquet` of a directory, whatever came of it. The calls of a provider are made by one
    worker, whose threads hold `max_concurrency` and `requests_per_minute` for the whole run.
    """

    def __init__(
        self,
        providers: Sequence[Provider],
        mode: JudgeMode,
        budget: Budget,
        cache: str,
        journal: str,
        directory: str,
        *,
        is_dry: bool = False,
    ):
        """Plan whom to ask what.

        Args:
            providers: the judges.
            mode: `live`, or `cache-only` to make no calls.
            budget: what may be spent on requests that the cache lacks.
            cache: its directory.
            journal: the name of the journal of these calls in the cache.
            directory: where the rows go.
            is_dry: whether rows only say what would be asked, with estimated tokens.
        """
        super().__init__()
        self._providers = providers
        self._mode = mode
        self._budget = budget
        self._cache = cache
        self._journal = journal
        self._directory = directory
        self._is_dry = is_dry

    def expand(self, requests):
        looked_up = requests | "LookUp" >> beam.ParDo(_LookUp(self._cache)).with_outputs(
            "missing", main="cached"
        )
        if self._mode == "live":
            within, refused = self._within_budget(looked_up.missing)
            answered = self._ask(within)
        else:
            refused = looked_up.missing | "NotCached" >> beam.Map(_row_of(_NOT_CACHED)).with_output_types(
                ReplyRow
            )
            answered = requests.pipeline | "NoCalls" >> beam.Create([], reshuffle=False).with_output_types(
                ReplyRow
            )
        return (
            (looked_up.cached, refused, answered)
            | "Replies" >> beam.Flatten()
            | "WriteReplies" >> beam.ParDo(_WriteReplies(self._directory))
        )

    def _within_budget(self, missing):
        if not self._budget.is_limited:
            none = missing.pipeline | "NothingRefused" >> beam.Create([], reshuffle=False).with_output_types(
                ReplyRow
            )
            return missing, none
        last = (
            missing
            | "Sizes" >> beam.Map(_size).with_output_types(tuple[bytes, int])
            | "GatherSizes" >> beam.combiners.ToList()
            | "LastWithin" >> beam.Map(self._budget.last_within).with_output_types(bytes)
        )
        split = missing | "Spend" >> beam.ParDo(_Spend(), last=beam.pvalue.AsSingleton(last)).with_outputs(
            "past", main="within"
        )
        past = split.past | "PastBudget" >> beam.Map(_row_of(_PAST_BUDGET)).with_output_types(ReplyRow)
        return split.within, past

    def _ask(self, within):
        if self._is_dry:
            return within | "WouldAsk" >> beam.Map(_estimated_row).with_output_types(ReplyRow)
        return (
            within
            | "ByJudge" >> beam.Map(_by_judge).with_output_types(tuple[str, PackedRequest])
            | "ToOneWorker" >> beam.GroupByKey()
            | "Requests" >> beam.FlatMap(lambda group: group[1]).with_output_types(PackedRequest)
            | "Call" >> RunInference(_JudgeHandler(self._providers, self._cache, self._journal))
            | "Rows" >> beam.Map(lambda result: result.inference).with_output_types(ReplyRow)
        )


def _by_judge(item):
    _, packed = item
    return unpack(packed).judge.name, packed


def _size(item):
    digest, packed = item
    request = unpack(packed)
    return digest, input_tokens(request) + output_tokens(request)


def _row_of(reply):
    return lambda item: {**reply_row(unpack(item[1]), reply), "origin": Origin.NOWHERE.value}


def _estimated_row(item):
    request = unpack(item[1])
    row = reply_row(request, _DRY, input_tokens(request), output_tokens(request))
    return {**row, "origin": Origin.CALL.value}


@beam.typehints.with_output_types(ReplyRow, missing=tuple[bytes, PackedRequest])
class _LookUp(beam.DoFn):
    def __init__(self, cache):
        self._cache = cache

    def setup(self):
        self._replies = read_cache(self._cache)

    def process(self, item):
        digest, packed = item
        row = self._replies.row(digest)
        if row is None:
            yield beam.pvalue.TaggedOutput("missing", item)
            return
        # The hash leaves out what the judge is called; the tokens were paid by another run.
        name = unpack(packed).judge.name
        yield {**row, "judge": name, "input_tokens": 0, "output_tokens": 0, "origin": Origin.CACHE.value}


@beam.typehints.with_output_types(tuple[bytes, PackedRequest], past=tuple[bytes, PackedRequest])
class _Spend(beam.DoFn):
    def process(self, item, last):
        yield item if item[0] <= last else beam.pvalue.TaggedOutput("past", item)


class _JudgeHandler(RemoteModelHandler[PackedRequest, PredictionResult, "_Asking"]):
    """Calls judges, many at a time.

    The retries of Beam's handler repeat a whole batch, which would pay for its good answers again;
    so it has none to make: calls are retried and paced one by one, and a request never raises.
    """

    def __init__(self, providers, cache, journal):
        super().__init__(namespace="gradebeam", num_retries=0, retry_filter=lambda _: False)
        self._providers = providers
        self._cache = cache
        self._journal = journal

    def create_client(self):
        return _Asking(self._providers, Journal(self._cache, self._journal))

    def request(self, batch: Sequence[PackedRequest], model: "_Asking", inference_args=None):  # noqa: ARG002  (Beam's)
        return [PredictionResult(row["hash"], row) for row in model.ask_all(batch)]

    def batch_elements_kwargs(self):
        size = _CALLS_PER_THREAD * max(provider.max_concurrency for provider in self._providers)
        return {"min_batch_size": size, "max_batch_size": size}


class _Asking:
    """The clients of a worker, with as many threads as calls may be made at a time."""

    def __init__(self, providers: Sequence[Provider], journal: Journal) -> None:
        secrets = [secret for provider in providers if (secret := provider.secret())]
        self._journal = journal
        self._answered: dict[bytes, ReplyRow] = {}
        self._clients = {provider.name: AskingProvider(provider, secrets) for provider in providers}
        self._pools = {
            provider.name: concurrent.futures.ThreadPoolExecutor(provider.max_concurrency)
            for provider in providers
        }

    def ask_all(self, batch: Iterable[PackedRequest]) -> list[ReplyRow]:
        requests = [unpack(packed) for packed in batch]
        pending = [self._pools[request.judge.name].submit(self._ask, request) for request in requests]
        rows = [future.result() for future in pending]
        self._journal.flush()
        return rows

    def _ask(self, request: JudgeRequest) -> ReplyRow:
        # A bundle that is tried again asks nothing again.
        known = self._answered.get(request.digest) or self._journal.known.row(request.digest)
        if known is not None:
            return {**known, "origin": Origin.CALL.value}
        answer = self._clients[request.judge.name].ask(request)
        row = reply_row(request, *answer)
        if answer.reply.status in KEPT:
            self._journal.append(row)
            self._answered[request.digest] = row
        return {**row, "origin": Origin.CALL.value}


@beam.typehints.with_output_types(str)
class _WriteReplies(beam.DoFn):
    def __init__(self, directory):
        self._directory = directory

    def start_bundle(self):
        self._rows: list[ReplyRow] = []

    def process(self, row: ReplyRow):
        self._rows.append(row)

    def finish_bundle(self):
        if self._rows:
            yield in_global_window(write_part(self._rows, self._directory))
