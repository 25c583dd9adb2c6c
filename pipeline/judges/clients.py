"""Asking a judge over the network, by the vendors' own clients: they retry, back off and time out.

Whatever goes wrong becomes a reply that says so; nothing is raised, and no text that leaves here
holds a key.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from graders.judging.request import JudgeRequest
from graders.judging.vote import Reply, ReplyStatus
from graders.values import cut
from pipeline.judges.config import Provider

_HOPELESS = (401, 403, 404)
"""Statuses that no other request to the same model will escape."""


class Answer(NamedTuple):
    """What came of a request, and the tokens that the provider counted."""

    reply: Reply
    input_tokens: int
    output_tokens: int


class JudgeClient(Protocol):
    """Asks one model."""

    def ask(self, request: JudgeRequest) -> Answer:
        """The answer to a request; raises what the vendor's client raises."""
        ...


class OpenAIClient:
    """Asks an endpoint that speaks OpenAI's chat completions."""

    def __init__(self, provider: Provider, key: str) -> None:
        import openai  # noqa: PLC0415  (an extra, and slow to import)

        self._client = openai.OpenAI(**_connection(provider, key))

    def ask(self, request: JudgeRequest) -> Answer:
        """The answer to a request."""
        completion = self._client.chat.completions.create(
            model=request.judge.model,
            messages=[
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            extra_body=dict(request.judge.parameters),
        )
        choice = completion.choices[0]
        usage: Any = completion.usage
        tokens = (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Answer(_refused(choice.message.refusal), *tokens)
        return Answer(Reply(ReplyStatus.ANSWERED, choice.message.content or ""), *tokens)


class AnthropicClient:
    """Asks an endpoint that speaks Anthropic's messages."""

    def __init__(self, provider: Provider, key: str) -> None:
        import anthropic  # noqa: PLC0415  (an extra, and slow to import)

        self._client = anthropic.Anthropic(**_connection(provider, key))
        self._max_output_tokens = provider.max_output_tokens

    def ask(self, request: JudgeRequest) -> Answer:
        """The answer to a request."""
        parameters = dict(request.judge.parameters)
        message = self._client.messages.create(
            model=request.judge.model,
            system=request.system,
            messages=[{"role": "user", "content": request.user}],
            max_tokens=parameters.pop("max_tokens", self._max_output_tokens),
            extra_body=parameters,
        )
        tokens = (message.usage.input_tokens, message.usage.output_tokens)
        text = "".join(block.text for block in message.content if block.type == "text")
        if message.stop_reason == "refusal":
            return Answer(_refused(text), *tokens)
        return Answer(Reply(ReplyStatus.ANSWERED, text), *tokens)


def _connection(provider: Provider, key: str) -> dict[str, Any]:
    """What each vendor's client is made with."""
    return {
        "api_key": key,
        "base_url": provider.base_url,
        "timeout": provider.timeout_seconds,
        "max_retries": provider.max_retries,
    }


def _refused(text: str | None) -> Reply:
    said = f": {text}" if text else ""
    return Reply(ReplyStatus.REFUSED, f"the provider marks the reply as a refusal{said}")


class Pace:
    """Lets so many calls begin in a minute, evenly."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds = 60 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next call may begin."""
        if not self._seconds:
            return
        with self._lock:
            now = time.monotonic()
            begins = max(self._next, now)
            self._next = begins + self._seconds
        time.sleep(begins - now)


class AskingProvider:
    """One provider, asked from many threads; every request gets an answer.

    A provider that refuses the key or does not know the model is asked no more.
    """

    def __init__(self, provider: Provider, secrets: Sequence[str]) -> None:
        """Make the client.

        Args:
            provider: whom to ask.
            secrets: what is cut out of every text.
        """
        self._provider = provider
        self._secrets = secrets
        self._pace = Pace(provider.requests_per_minute)
        self._hopeless: str | None = None
        self._client: JudgeClient | None = None
        key = provider.key()
        if key is None:
            self._hopeless = f"the environment variable {provider.key_name} is not set"
            return
        try:
            self._client = _CLIENTS[provider.kind](provider, key)
        except ImportError:
            self._hopeless = f"the client is not installed: pip install 'gradebeam[judges]' ({provider.kind})"

    def ask(self, request: JudgeRequest) -> Answer:
        """The answer to a request."""
        if self._client is None or self._hopeless is not None:
            return _unavailable(self._hopeless or "no client")
        self._pace.wait()
        try:
            answer = self._client.ask(request)
        except Exception as error:  # noqa: BLE001  (of two clients, and of whatever an endpoint sends)
            return self._failed(error)
        status, text = answer.reply.status, self._without_secrets(answer.reply.text)
        # Cut last: half a key is no longer found.
        return answer._replace(reply=Reply(status, text if status is ReplyStatus.ANSWERED else cut(text)))

    def _failed(self, error: Exception) -> Answer:
        status = getattr(error, "status_code", None)
        what = f"HTTP {status}" if status else type(error).__name__
        sentence = cut(self._without_secrets(f"{what} from {self._provider.name}: {error}"))
        if status in _HOPELESS:
            self._hopeless = sentence
        return _unavailable(sentence)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text


_CLIENTS: dict[str, Any] = {"openai": OpenAIClient, "anthropic": AnthropicClient}


def _unavailable(sentence: str) -> Answer:
    return Answer(Reply(ReplyStatus.UNAVAILABLE, sentence), 0, 0)
