"""The judges of a job: endpoints, limits and the cache."""

from __future__ import annotations

import os
import urllib.parse
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graders.judging.request import Judge
from graders.values import canonical_text

JudgeMode = Literal["off", "cache-only", "live"]

_DEFAULT_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_NO_KEY = "none"


class Provider(BaseModel):
    """A model at an endpoint; checks ask for it by its name or its model."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, description="What specs and tables call the judge.")
    kind: Literal["openai", "anthropic"] = Field(
        "openai", description="The wire format: chat completions as OpenAI has them, or Anthropic's messages."
    )
    model: str = Field(min_length=1, description="The model's name at the endpoint.")
    base_url: str | None = Field(
        None, description="The endpoint; null: OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the vendor's."
    )
    key_env: str | None = Field(
        None,
        min_length=1,
        description="The environment variable that holds the key; null: OPENAI_API_KEY or ANTHROPIC_API_KEY,"
        " and none where base_url is given.",
    )
    parameters: dict[str, Any] = Field(
        {},
        description="Sent with each request and part of its hash, over temperature 0 and JSON replies;"
        " null takes one out.",
    )
    max_output_tokens: int = Field(1024, ge=1, description="The most tokens of a reply.")
    max_concurrency: int = Field(8, ge=1, le=1024, description="The most calls at a time, in the whole run.")
    requests_per_minute: float | None = Field(None, gt=0, description="The most calls begun in a minute.")
    timeout_seconds: float = Field(120, gt=0, description="How long one attempt may take.")
    max_retries: int = Field(
        5, ge=0, le=100, description="How often a call is tried again on 429, 5xx, timeouts."
    )
    usd_per_million_input_tokens: float | None = Field(None, ge=0, description="Price of what is sent.")
    usd_per_million_output_tokens: float | None = Field(None, ge=0, description="Price of what is replied.")

    @field_validator("base_url")
    @classmethod
    def _holds_no_secret(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("expected http://… or https://…")
        if parts.username or parts.password or parts.query:
            raise ValueError("a URL with a user, password or query; the key belongs into the environment")
        return url

    @property
    def judge(self) -> Judge:
        """The judge as grading knows it."""
        defaults: dict[str, Any] = {"temperature": 0}
        if self.kind == "openai":
            defaults |= {
                "max_completion_tokens": self.max_output_tokens,
                "response_format": {"type": "json_object"},
            }
        else:
            defaults |= {"max_tokens": self.max_output_tokens}
        merged = {**defaults, **self.parameters}
        return Judge(self.name, self.model, {name: v for name, v in merged.items() if v is not None})

    @property
    def key_name(self) -> str | None:
        """The environment variable of the key; None where none is sent.

        The key of a vendor goes to another endpoint only where the job names it.
        """
        if self.key_env is None and self.base_url is not None:
            return None
        return self.key_env or _DEFAULT_KEYS[self.kind]

    def key(self) -> str | None:
        """The key, or any word where none is sent; None where it is missing."""
        return _NO_KEY if self.key_name is None else self.secret()

    def secret(self) -> str | None:
        """What must not be written anywhere."""
        return os.environ.get(self.key_name or "") or None

    def cost_usd(self, input_tokens: int, output_tokens: int) -> float | None:
        """What so many tokens cost; None where a price is not given."""
        if self.usd_per_million_input_tokens is None or self.usd_per_million_output_tokens is None:
            return None
        return (
            input_tokens * self.usd_per_million_input_tokens
            + output_tokens * self.usd_per_million_output_tokens
        ) / 1e6


class JudgesConfig(BaseModel):
    """Who judges what a model decides, and what it may cost."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    mode: JudgeMode | None = Field(
        None,
        description="live asks and pays, cache-only takes the replies that are there, off asks nobody;"
        " null: live with providers, off without.",
    )
    providers: list[Provider] = Field(
        [], description="The judges; the first one serves checks that name none."
    )
    cache: str | None = Field(
        None, min_length=1, description="The directory of replies; null: judge-cache beside the output."
    )
    max_calls: int | None = Field(None, ge=0, description="The most requests that are sent in the run.")
    max_tokens: int | None = Field(
        None, ge=0, description="The most tokens of the run, by estimate: what is sent and the longest reply."
    )
    dry_run: bool = Field(False, description="Say what would be asked and what it may cost; grade nothing.")

    @field_validator("providers")
    @classmethod
    def _names_are_unique(cls, providers: list[Provider]) -> list[Provider]:
        names = [provider.name for provider in providers]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"several providers are named {', '.join(twice)}")
        return providers

    @field_validator("providers")
    @classmethod
    def _requests_differ(cls, providers: list[Provider]) -> list[Provider]:
        seen: dict[str, str] = {}
        for provider in providers:
            asked = canonical_text([provider.judge.model, dict(provider.judge.parameters)])
            if asked in seen:
                raise ValueError(
                    f"{seen[asked]} and {provider.name} send the same requests, and the cache could not tell"
                    " their replies apart: let their models or parameters differ"
                )
            seen[asked] = provider.name
        return providers

    @property
    def effective_mode(self) -> JudgeMode:
        """The mode, or what follows from whether there are providers."""
        return self.mode or ("live" if self.providers else "off")

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The judges as grading knows them."""
        return tuple(provider.judge for provider in self.providers)
