"""A server that stands in for model endpoints: it speaks their wire formats over HTTP, and misbehaves on demand.

It counts how often each request came and how often it was answered in full.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import hashlib
import http.server
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

HANG_SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Asked:
    """A request as it came; `attempt` counts from 0 for the same request."""

    kind: str
    model: str
    system: str
    user: str
    attempt: int
    key: str | None

    @property
    def digest(self) -> int:
        """A number that follows from what is asked alone."""
        text = json.dumps([self.model, self.system, self.user])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@dataclasses.dataclass(frozen=True)
class Act:
    """What the server does with a request.

    Attributes:
        text: the reply.
        status: the HTTP status.
        retry_after: a header with so many seconds.
        is_refusal: whether the reply is marked as a refusal.
        is_hanging: whether nothing is ever sent.
        is_cut: whether the connection ends amid the reply.
        body: the whole body, in place of a reply.
        delay: seconds before the reply.
    """

    text: str = '{"reason": "as told", "verdict": "pass"}'
    status: int = 200
    retry_after: float | None = None
    is_refusal: bool = False
    is_hanging: bool = False
    is_cut: bool = False
    body: bytes | None = None
    delay: float = 0.0


PASS = Act()


class StandIn:
    """The server and what it has seen; safe to read while it runs."""

    def __init__(self, act: Callable[[Asked], Act]) -> None:
        self.act = act
        self.lock = threading.Lock()
        self.attempts: collections.Counter[int] = collections.Counter()
        self.answered: collections.Counter[int] = collections.Counter()
        self.keys: set[str | None] = set()
        self.under_way = 0
        self.most_under_way = 0
        self.stopped = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stand_in = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def url(self, kind: str) -> str:
        return self.openai_url if kind == "openai" else self.anthropic_url

    @contextlib.contextmanager
    def running(self) -> Iterator[StandIn]:
        self._thread.start()
        try:
            yield self
        finally:
            self.stopped.set()
            self._server.shutdown()
            self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    stand_in: StandIn

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no trouble of ours."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        stand_in = self.server.stand_in
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = self._asked(body)
        with stand_in.lock:
            asked = dataclasses.replace(asked, attempt=stand_in.attempts[asked.digest])
            stand_in.attempts[asked.digest] += 1
            stand_in.keys.add(asked.key)
            stand_in.under_way += 1
            stand_in.most_under_way = max(stand_in.most_under_way, stand_in.under_way)
        try:
            self._do(stand_in.act(asked), asked, stand_in)
        finally:
            with stand_in.lock:
                stand_in.under_way -= 1

    def _asked(self, body: dict[str, Any]) -> Asked:
        key = self.headers["x-api-key"] or (self.headers["Authorization"] or "").removeprefix("Bearer ")
        if self.path.endswith("/chat/completions"):
            system, user = (message["content"] for message in body["messages"])
            return Asked("openai", body["model"], system, user, 0, key)
        assert self.path.endswith("/messages"), self.path
        return Asked("anthropic", body["model"], body["system"], body["messages"][0]["content"], 0, key)

    def _do(self, act: Act, asked: Asked, stand_in: StandIn) -> None:
        if act.is_hanging:
            stand_in.stopped.wait(HANG_SECONDS)
            self.close_connection = True
            return
        if act.delay:
            stand_in.stopped.wait(act.delay)
        data = act.body if act.body is not None else json.dumps(_reply(act, asked)).encode()
        self.send_response(act.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if act.retry_after is not None:
            self.send_header("Retry-After", str(act.retry_after))
        self.end_headers()
        if act.is_cut:
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        # Counted before it can have arrived, so that whoever has it was counted.
        if act.status == 200:
            with stand_in.lock:
                stand_in.answered[asked.digest] += 1
        self.wfile.write(data)
        self.wfile.flush()


def _reply(act: Act, asked: Asked) -> dict[str, Any]:
    if act.status != 200:
        return {"error": {"type": "trouble", "message": f"no, {asked.key}, for {act.status}"}}
    if asked.kind == "openai":
        message = {"role": "assistant", "content": act.text, "refusal": act.text if act.is_refusal else None}
        return {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": asked.model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [{"type": "text", "text": act.text}],
        "stop_reason": "refusal" if act.is_refusal else "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }
