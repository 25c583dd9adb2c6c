"""assistant-contains-tool-output: the agent told what a tool returned."""

from __future__ import annotations

import json
from typing import Any

import re2

from graders.outcome import AbstainCode
from graders.patterns import SECONDS_PER_TEXT, PatternError, compile_pattern, compiled_fallback
from tests.reference.judgement import Judgement, Twin, abstain, decide
from tests.reference.reading import View

TYPE = "assistant-contains-tool-output"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    tools, source = config["tools"], config["pattern"]
    try:
        compiled = compile_pattern(source)
    except PatternError:
        return decide(passed=False, is_final=True)
    captured: list[int] = []
    wanted: list[str] = []
    is_late = False
    for at, event in view.of_type("tool_result"):
        name = view.result_names[at]
        if name is None or not any(name == tool or name.startswith(tool + ".") for tool in tools):
            continue
        try:
            value = _capture(compiled, event.get("content"))
        except TimeoutError:
            is_late = True
            continue
        if not value:
            continue
        captured.append(at)
        if value not in wanted:
            wanted.append(value)
        for later, message in view.of_type("assistant_message"):
            if later > at and value in (message.get("content") or ""):
                return decide(
                    passed=True,
                    event_index=later,
                    evidence=f'assistant echoed captured value "{_cut(value)}"',
                )
    if is_late:
        return abstain(AbstainCode.TIMEOUT)
    if captured:
        quoted = ", ".join(f'"{_cut(value)}"' for value in wanted[:3])
        more = f" and {len(wanted) - 3} more" if len(wanted) > 3 else ""
        said = f"assistant did not echo {len(captured)} captured value(s): {quoted}{more}"
        return decide(passed=False, event_index=captured[0], evidence=said)
    listed = ", ".join(f'"{_cut(tool)}"' for tool in tools)
    shown = _cut(json.dumps(source, ensure_ascii=False))
    return decide(passed=False, evidence=f"no {listed} output matched {shown}")


def _capture(pattern: Any, content: str | None) -> str:
    """Group 1 of the first match, or all of it where there is no group, by the engine's own count."""
    if content is None:
        return ""
    if pattern.is_bounded:
        engine = compiled_fallback(pattern.expression)
        match = engine.search(content, timeout=SECONDS_PER_TEXT)
        return (match[1 if engine.groups else 0] or "") if match else ""
    engine = re2.compile(pattern.expression.encode())
    match = engine.search(content.encode("utf-8", "surrogatepass"))
    found = (match[1 if engine.groups else 0] or b"") if match else b""
    return found.decode("utf-8", "surrogatepass")


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "…"


TWIN = Twin(_judge)
