"""The clients of both vendors against a server that misbehaves: every request gets an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from graders.judging.request import JudgeRequest
from graders.judging.vote import Reply, ReplyStatus
from pipeline.judges.clients import Answer, AskingProvider
from pipeline.judges.config import Provider
from tests.judges.stand_in import PASS, Act, Asked, StandIn

KEY = "sk-a-very-secret-key-of-the-tests"
KINDS = ("openai", "anthropic")


@pytest.fixture(params=KINDS)
def ask(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Asks a server that acts as told; gives the answer and the server."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    running: list[Any] = []

    def start(act: Callable[[Asked], Act], **settings: Any) -> tuple[Answer, StandIn]:
        server = StandIn(act)
        running.append(server.running())
        running[-1].__enter__()
        provider = Provider.model_validate(
            {
                "name": "judge",
                "kind": request.param,
                "model": "m",
                "base_url": server.url(request.param),
                "key_env": "JUDGE_KEY",
                "timeout_seconds": 2.0,
                "max_retries": 2,
                **settings,
            }
        )
        return AskingProvider(provider, [KEY]).ask(JudgeRequest(provider.judge, "system", "user")), server

    yield start
    for server in running:
        server.__exit__(None, None, None)


def test_an_answer_comes_with_its_tokens(ask: Callable[..., Any]) -> None:
    answer, server = ask(lambda asked: Act(text=f"{asked.system} {asked.user} {asked.model}"))
    assert answer.reply == Reply(ReplyStatus.ANSWERED, "system user m")
    assert (answer.input_tokens, answer.output_tokens) == (100, 10)
    assert server.keys == {KEY}


@pytest.mark.parametrize(
    "trouble", [Act(status=429, retry_after=0.01), Act(status=500, retry_after=0.01), Act(is_cut=True)]
)
def test_trouble_that_passes_is_waited_for(ask: Callable[..., Any], trouble: Act) -> None:
    answer, server = ask(lambda asked: PASS if asked.attempt else trouble)
    assert answer.reply.status is ReplyStatus.ANSWERED
    assert sum(server.attempts.values()) == 2
    assert sum(server.answered.values()) == 1


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Act(status=429, retry_after=0.01), "HTTP 429"),
        (Act(status=503, retry_after=0.01), "HTTP 503"),
        (Act(status=400), "HTTP 400"),
        (Act(body=b"<html>"), "judge"),
        (Act(body=b'{"choices": []}'), "judge"),
        (Act(body=b"[]"), "judge"),
    ],
)
def test_trouble_that_stays_is_no_answer(ask: Callable[..., Any], trouble: Act, said: str) -> None:
    answer, _ = ask(lambda _: trouble)
    assert answer.reply.status is ReplyStatus.UNAVAILABLE
    assert said in answer.reply.text
    assert KEY not in answer.reply.text


def test_an_endpoint_that_hangs_times_out(ask: Callable[..., Any]) -> None:
    answer, _ = ask(lambda _: Act(is_hanging=True), timeout_seconds=0.2, max_retries=0)
    assert answer.reply.status is ReplyStatus.UNAVAILABLE
    assert "Timeout" in answer.reply.text


def test_a_refusal_is_told_apart(ask: Callable[..., Any]) -> None:
    answer, _ = ask(lambda _: Act(text="I would rather not.", is_refusal=True))
    assert answer.reply.status is ReplyStatus.REFUSED
    assert "I would rather not." in answer.reply.text


def test_a_key_in_the_reply_is_cut_out(ask: Callable[..., Any]) -> None:
    answer, _ = ask(lambda asked: Act(text=f"your key is {asked.key}"))
    assert answer.reply.text == "your key is [key]"


@pytest.mark.parametrize(
    "act",
    [
        Act(text=f"{KEY} " * 20, is_refusal=True),
        Act(status=400, body=json.dumps({"error": {"message": f"{KEY} " * 20}}).encode()),
    ],
)
def test_no_part_of_a_key_is_left_where_a_text_is_cut(ask: Callable[..., Any], act: Act) -> None:
    answer, _ = ask(lambda _: act)
    assert "[key]" in answer.reply.text
    assert "sk" not in answer.reply.text


@pytest.mark.parametrize("kind", KINDS)
def test_a_provider_that_refuses_the_key_is_asked_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with StandIn(lambda _: Act(status=401)).running() as server:
        settings = {
            "name": "j",
            "kind": kind,
            "model": "m",
            "base_url": server.url(kind),
            "key_env": "JUDGE_KEY",
        }
        provider = Provider.model_validate(settings)
        asking = AskingProvider(provider, [KEY])
        answers = [asking.ask(JudgeRequest(provider.judge, "s", str(number))) for number in range(5)]
    assert len({answer.reply for answer in answers}) == 1
    assert answers[0].reply.text.startswith("HTTP 401 from j")
    assert KEY not in answers[0].reply.text
    assert sum(server.attempts.values()) == 1


def test_the_key_of_a_vendor_is_sent_to_no_other_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with StandIn(lambda _: PASS).running() as server:
        provider = Provider.model_validate({"name": "j", "model": "m", "base_url": server.openai_url})
        answer = AskingProvider(provider, []).ask(JudgeRequest(provider.judge, "s", "u"))
    assert answer.reply.status is ReplyStatus.ANSWERED
    assert server.keys == {"none"}


def test_without_a_key_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    provider = Provider.model_validate({"name": "j", "model": "m"})
    answer = AskingProvider(provider, []).ask(JudgeRequest(provider.judge, "s", "u"))
    assert answer.reply.text == "the environment variable OPENAI_API_KEY is not set"
