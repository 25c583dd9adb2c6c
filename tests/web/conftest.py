"""A run whose data is hostile, its report, and the Chromium that opens it."""

from __future__ import annotations

import json
import pathlib
import shutil
from collections.abc import Iterator

import pytest

from pipeline.cli import main

sync_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_PATIENCE_MS = 180_000  # A busy machine is no failure.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-renderer-backgrounding",
    "--disable-component-update",
    "--disable-sync",
)

HOSTILE = (
    "</script><script>window.hit=1</script>",
    "<img src=x onerror='window.hit=1'>",
    "<!-- <script>",
    "]]>&lt;b&gt;\u2028\u2029",
    "{{ 7 * 7 }} {% raw %}",
    '"><svg onload="window.hit=1">',
    "javascript:window.hit=1",
    "bad \ud800 surrogate",
    "\x1b[31mred\x1b[0m \u202etxt.exe\u2066 \x00\r99 %",
)
"""Texts that must come through as texts."""


def _row(at: int, often: str = "find") -> dict[str, object]:
    """A run; in every fourth the tool is another one."""
    text = HOSTILE[at % len(HOSTILE)]
    events = [
        {"type": "user_message", "content": f"find {text}"},
        {
            "type": "tool_call",
            "tool_name": "find" if at % 4 else often,
            "tool_call_id": "a",
            "arguments": {"what": text, "at": at},
        },
        {
            "type": "tool_result",
            "tool_call_id": "a",
            "content": f'{{"id":"{at}-{text}"}}',
            "is_error": at % 3 == 0,
        },
        {"type": text, "content": text},
        *({"type": "reasoning", "content": f"thought {n}"} for n in range(100 if at == 5 else 1)),
        {"type": "assistant_message", "content": f"found {text}" if at % 2 else None},
    ]
    return {
        "trajectory_id": f"run {at} {text}",
        "sample_id": text,
        "trial": at,
        "model": text,
        "tags": {text: text},
        "events": [] if at == 7 else events,
        "error": text if at == 7 else None,
    }


@pytest.fixture(scope="session")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A finished run on hostile data, sliced, with gates, a baseline and repeated trials."""
    work = tmp_path_factory.mktemp("web")
    (work / "runs.jsonl").write_text("".join(json.dumps(_row(at)) + "\n" for at in range(40)))
    (work / "before.jsonl").write_text("".join(json.dumps(_row(at, "seek")) + "\n" for at in range(40)))
    checks = [
        {"type": "hasToolCall", "name": "finds", "config": {"tool": "find"}},
        {"type": "outputMatches", "name": HOSTILE[0], "config": {"value": HOSTILE[1]}},
        {"type": "toolCallContains", "config": {"tool": "find", "arguments": {"what": HOSTILE[2], "at": 1}}},
        {"type": "output-equals", "advisory": True, "config": {"value": f"found {HOSTILE[3]}"}},
        {"type": "hasToolCall", "negate": True, "turn": 0, "config": {"tool": "find"}},
    ]
    gates = [
        {"name": HOSTILE[0], "check": "finds", "min_pass_rate": 0.9},
        {"check": "finds", "slice": {"model": HOSTILE[1]}, "max_fail": 0},
        {"name": "no such model", "slice": {"model": "none"}, "min_total": 1},
        {"check": 1, "min_pass_rate": 0.987654321},
    ]
    spec, document = work / "spec.yaml", {"version": 1, "name": HOSTILE[5], "checks": checks}
    for name, flags, code in (("before", [], 0), ("runs", ["--baseline", str(work / "before")], 1)):
        spec.write_text(json.dumps({**document, "gates": gates} if flags else document))
        command = ["run", "--spec", spec, "--input", work / f"{name}.jsonl", "--output", work / name]
        assert main([*map(str, command), "--slice", "model", *flags]) == code
    return work / "runs"


@pytest.fixture(scope="session")
def browser() -> Iterator[sync_api.Browser]:
    """Chromium without a window."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine; on Debian: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    """A colour scheme."""
    return request.param


@pytest.fixture
def page(browser: sync_api.Browser) -> Iterator[sync_api.Page]:
    """An empty page; at the end there were no errors, dialogs and requests but for the file itself."""
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    opened.set_default_timeout(_PATIENCE_MS)
    wrong: list[str] = []
    opened.on("console", lambda message: wrong.append(f"console: {message.text}"))
    opened.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    opened.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
    opened.on(
        "request",
        lambda request: request.url.startswith("file:") or wrong.append(f"request: {request.url}"),
    )
    yield opened
    opened.close()
    assert not wrong
