"""Make a small set of recorded runs to try gradebeam on; the same seed gives the same runs.

An assistant for software releases is asked whether a release is ready, looks it up, has it tested and
rehearses its deployment. Not every run goes well: calls stay unanswered, arguments break off, answers are
wrong or missing, ids occur twice, some runs never happened, and one row cannot be read.

Writes `events.parquet` (the trajectory record with its events) and `messages.parquet` (runs as chat
messages).
"""

import argparse
import collections
import dataclasses
import datetime
import json
import pathlib
import random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

TRIALS = 6
TRIALS_AS_MESSAGES = 2

EVENT = pa.struct(
    [
        ("type", pa.string()),
        ("turn", pa.int32()),
        ("step", pa.int32()),
        ("content", pa.string()),
        ("tool_name", pa.string()),
        ("tool_call_id", pa.string()),
        ("arguments", pa.string()),
        ("is_error", pa.bool_()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
    ]
)
COMMON = [
    ("trajectory_id", pa.string()),
    ("sample_id", pa.string()),
    ("trial", pa.int32()),
    ("model", pa.string()),
    ("tags", pa.map_(pa.string(), pa.string())),
    ("output", pa.string()),
    ("reference", pa.string()),
    ("error", pa.string()),
]
EVENTS_FILE = pa.schema([*COMMON, ("events", pa.list_(EVENT))])
MESSAGES_FILE = pa.schema([*COMMON, ("messages", pa.string())])

PRODUCTS = ("Harbour", "Lantern", "Måne", "Kestrel", "灯台", "Straßenbuch", "Tern", "Ocelot")
LANGUAGES = ("en", "de", "ja")
ASK = {
    "en": "Is {product} {version} ready for {environment}?",
    "de": "Ist {product} {version} bereit für {environment}?",
    "ja": "{product} {version} は {environment} に出せますか。",
}
FOUND = {
    "en": "I found release train {id}.",
    "de": "Der Release-Zug ist {id}.",
    "ja": "リリース番号は {id} です。",
}
GO_ON = {
    "en": "Test it and rehearse the deployment, please. Do not deploy yet!",
    "de": "Bitte teste ihn und probe die Auslieferung. Noch nicht ausliefern!",
    "ja": "テストと予行をお願いします。まだ出さないでください。🚢",
}
READY = {"en": "ready for {environment}", "de": "bereit für {environment}", "ja": "{environment} に出せます"}
UNCLEAR = {"en": "in an unclear state", "de": "in unklarem Zustand", "ja": "不明です"}
BLOCKED = {"en": "blocked by {ticket}", "de": "blockiert durch {ticket}", "ja": "{ticket} が未解決です"}
REPORT = {
    "en": "{product} {version} is {verdict}. All tests ran.",
    "de": "{product} {version} ist {verdict}. Alle Tests liefen.",
    "ja": "{product} {version} は {verdict}。テストはすべて完了しました。✅",
}

# What goes wrong in a run, and in which share of the runs.
FAULTS = {
    "answers wrongly": 0.15,
    "breaks off arguments": 0.08,
    "deploys for real": 0.06,
    "ends without a report": 0.06,
    "forgets the id": 0.12,
    "never ran": 0.02,
    "records no events": 0.02,
    "shows a traceback": 0.04,
    "skips the tests": 0.08,
    "stays unanswered": 0.05,
    "tests fail at first": 0.2,
}


@dataclasses.dataclass(frozen=True)
class Task:
    """What an agent was asked to do."""

    name: str
    product: str
    version: str
    environment: str
    language: str
    ticket: str | None
    has_reference: bool

    @property
    def answer(self) -> str:
        """What a right report says."""
        verdict = BLOCKED if self.ticket else READY
        return verdict[self.language].format(environment=self.environment, ticket=self.ticket)

    def say(self, texts: dict[str, str], **values: str) -> str:
        """A sentence about the task, in its language."""
        known = {"product": self.product, "version": self.version, "environment": self.environment}
        return texts[self.language].format(**known, **values)


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a tool, and what came back."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None
    is_error: bool = False
    is_cut: bool = False


class Recorder:
    """Writes down the events of one run."""

    def __init__(self, started_at: datetime.datetime) -> None:
        self.events: list[dict[str, Any]] = []
        self._now = started_at
        self._turn, self._step, self._calls = -1, 0, 0

    def ask(self, text: str) -> None:
        """A message of the user, which begins a turn."""
        self._turn += 1
        self._add("user_message", content=text)

    def respond(self, text: str | None, *calls: Call) -> None:
        """One response of the model: its text, its calls, side by side, and their results."""
        if text is not None:
            self._add("assistant_message", step=self._step, content=text)
        ids = [f"call_{self._calls + number}" for number in range(len(calls))]
        self._calls += len(calls)
        for call_id, call in zip(ids, calls, strict=True):
            arguments = compact(call.arguments)
            if call.is_cut:
                arguments = arguments[: len(arguments) // 2]
            self._add("tool_call", call, call_id, step=self._step, arguments=arguments)
        for call_id, call in zip(ids, calls, strict=True):
            if call.result is not None:
                result = compact(call.result)
                self._add("tool_result", call, call_id, content=result, is_error=call.is_error)
        self._step += 1

    def _add(self, type_: str, call: Call | None = None, call_id: str | None = None, **fields: Any) -> None:
        self._now += datetime.timedelta(seconds=2)
        event = {"type": type_, "turn": self._turn, "timestamp": self._now, **fields}
        if call is not None:
            event |= {"tool_name": call.tool, "tool_call_id": call_id}
        self.events.append(event)


def compact(value: Any) -> str:
    """A value as JSON text without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def make_tasks(draw: random.Random) -> list[Task]:
    """The tasks: every product twice in each language."""
    tasks: list[Task] = []
    for product in PRODUCTS:
        for language in LANGUAGES:
            for environment in ("staging", "production"):
                version = f"{draw.randint(1, 9)}.{draw.randint(0, 20)}"
                ticket = f"REL-{draw.randint(100, 999)}" if draw.random() < 0.3 else None
                has_reference = draw.random() < 0.9
                name = f"{product.lower()}-{version}-{environment}-{language}"
                tasks.append(Task(name, product, version, environment, language, ticket, has_reference))
    return tasks


def play(task: Task, faults: set[str], draw: random.Random, started_at: datetime.datetime) -> Recorder:
    """Let the agent do a task, with these faults."""
    run = Recorder(started_at)
    release_id = f"rt_{draw.getrandbits(64):016x}"
    run.ask(task.say(ASK))
    state = {"release_id": release_id, "status": "blocked" if task.ticket else "green"}
    look_up = Call("catalog.lookup_release_train", {"product": task.product, "version": task.version}, state)
    search = Call(
        "tickets.search", {"query": task.product, "open": True}, {"tickets": [task.ticket or "none"]}
    )
    run.respond(None, *([look_up, search] if draw.random() < 0.5 else [look_up]))
    run.respond("OK." if "forgets the id" in faults else task.say(FOUND, id=release_id))
    run.ask(task.say(GO_ON))
    if "skips the tests" not in faults:
        _test(run, faults, draw)
    is_real = "deploys for real" in faults
    deploy = Call(
        "deploy.start",
        {"release_id": release_id, "environment": task.environment, "dry_run": not is_real},
        None if "stays unanswered" in faults else {"ok": True, "steps": draw.randint(3, 9)},
    )
    run.respond(None, deploy)
    if not faults & {"stays unanswered", "ends without a report"}:
        verdict = task.say(UNCLEAR) if "answers wrongly" in faults else task.answer
        report = task.say(REPORT, verdict=verdict)
        if "shows a traceback" in faults:
            report += '\nTraceback (most recent call last):\n  File "report.py", line 7'
        run.respond(report)
    return run


def _test(run: Recorder, faults: set[str], draw: random.Random) -> None:
    suites = ("smoke", "full") if draw.random() < 0.4 else ("smoke",)
    is_cut = "breaks off arguments" in faults
    arguments: list[dict[str, Any]] = [
        {"suite": suite, "shards": draw.randint(1, 8), "options": {"retry": True}} for suite in suites
    ]
    if "tests fail at first" in faults:
        run.respond(
            None, *(Call("ci.run_tests", given, {"error": "no runner"}, is_error=True) for given in arguments)
        )
    run.respond(None, *(Call("ci.run_tests", given, {"passed": True}, is_cut=is_cut) for given in arguments))


def make_row(task: Task, trial: int, draw: random.Random) -> dict[str, Any]:
    """One run as a row; its events are those of a `Recorder`, or None."""
    faults = {fault for fault, share in FAULTS.items() if draw.random() < share}
    started_at = datetime.datetime(2031, 5, 1, tzinfo=datetime.UTC) + datetime.timedelta(hours=trial)
    run = play(task, faults, draw, started_at)
    last = run.events[-1]
    reports = last["type"] == "assistant_message"
    row = {
        "trajectory_id": f"{task.name}/{trial}",
        "sample_id": task.name,
        "trial": trial,
        "model": draw.choice(("small", "large")),
        "tags": [("language", task.language), ("environment", task.environment)],
        # Some recorders write the final output down, some leave it to be found in the events.
        "output": last["content"] if reports and draw.random() < 0.5 else None,
        "reference": compact({"expected": {"answer": task.answer}}) if task.has_reference else compact({}),
        "error": None,
        "events": run.events,
    }
    if "never ran" in faults:
        row |= {"events": [], "output": None, "error": "the sandbox did not start"}
    elif "records no events" in faults:
        row |= {"events": None}
    return row


def to_messages(events: list[dict[str, Any]] | None) -> str | None:
    """Events as chat messages, JSON text."""
    if events is None:
        return None
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You help with releases. Nothing is deployed without consent."}
    ]
    responses: dict[int, dict[str, Any]] = collections.defaultdict(
        lambda: {"role": "assistant", "content": None}
    )
    for event in events:
        if event["type"] == "user_message":
            messages.append({"role": "user", "content": event["content"]})
        elif event["type"] == "tool_result":
            messages.append(
                {"role": "tool", "tool_call_id": event["tool_call_id"], "content": event["content"]}
            )
        else:
            response = responses[event["step"]]
            if messages[-1] is not response:
                messages.append(response)
            if event["type"] == "assistant_message":
                response["content"] = event["content"]
            else:
                function = {"name": event["tool_name"], "arguments": event["arguments"]}
                call = {"id": event["tool_call_id"], "type": "function", "function": function}
                response.setdefault("tool_calls", []).append(call)
    return compact(messages)


def make_sample(directory: pathlib.Path, seed: int) -> list[pathlib.Path]:
    """Write the sample into a directory; the files written."""
    draw = random.Random(seed)
    tasks = make_tasks(draw)
    rows = [make_row(task, trial, draw) for trial in range(TRIALS) for task in tasks]
    rows += rows[:3]  # Uploaded twice.
    chats = [
        make_row(task, trial, draw) for trial in range(TRIALS, TRIALS + TRIALS_AS_MESSAGES) for task in tasks
    ]
    for row in chats:
        row["messages"] = to_messages(row.pop("events"))
    chats[len(chats) // 2]["messages"] = '[{"role": "user", "content": "the log ends he'
    directory.mkdir(parents=True, exist_ok=True)
    written: list[pathlib.Path] = []
    for name, schema, part in (("events", EVENTS_FILE, rows), ("messages", MESSAGES_FILE, chats)):
        path = directory / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(part, schema), path, compression="zstd")
        written.append(path)
    return written


def main() -> None:
    """Write the sample where the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("directory", type=pathlib.Path, help="where the files go")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other runs (1)")
    options = parser.parse_args()
    for path in make_sample(options.directory, options.seed):
        print(path)


if __name__ == "__main__":
    main()
