"""The messages layout: OpenAI-style chat, with Anthropic-style blocks, to events.

Roles are system, developer, user, assistant, tool and the older function; a message of any other
role becomes a custom event under that name. An assistant message is one step: its reasoning, its
text, its calls. Tool calls are nested (`{id, function: {name, arguments}}`) or flat (`{id, name,
arguments}`, also with `args`); tool definitions and quoted JSON are never calls. The results in a
user message come before its text, which begins the next turn.
"""

from __future__ import annotations

from typing import Any

from graders.values import INVALID, json_text, parse_json
from pipeline.sources.layouts.event_rows import EventRow, UnreadableError, event_row

_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
_REASONING_BLOCKS = ("thinking", "reasoning", "redacted_thinking")
_TEXT_BLOCKS = ("text", "input_text", "output_text")


def events_of_text(text: str | None) -> list[EventRow] | None:
    """The events of a chat in JSON text; None where there is none.

    Raises:
        UnreadableError: the text is not a JSON list of messages.
    """
    if text is None:
        return None
    value = parse_json(text)
    if value is INVALID:
        raise UnreadableError("messages: not JSON")
    return events_of(value)


def events_of(messages: Any) -> list[EventRow] | None:
    """The events of a chat; None where there is none.

    Raises:
        UnreadableError: it is not a list of messages.
    """
    if messages is None:
        return None
    if not isinstance(messages, list):
        raise UnreadableError(f"messages: expected a list, found {_kind(messages)}")
    events: list[EventRow] = []
    step = 0
    for number, message in enumerate(messages):
        if message is None:  # As a null event: it says nothing.
            continue
        if not isinstance(message, dict):
            raise UnreadableError(f"messages[{number}]: expected an object, found {_kind(message)}")
        try:
            if message.get("role") == "assistant":
                _assistant(message, step, events)
                step += 1
            else:
                _other(message, events)
        except UnreadableError as error:
            raise UnreadableError(f"messages[{number}].{error}") from None
    return events


def _assistant(message: dict[str, Any], step: int, events: list[EventRow]) -> None:
    content = message.get("content")
    blocks = _blocks(content) or []
    for field in _REASONING_FIELDS:
        if message.get(field):
            events.append(event_row("reasoning", step=step, content=_text(message[field])))
            break
    events.extend(
        event_row("reasoning", step=step, content=_block_text(block))
        for block in blocks
        if block["type"] in _REASONING_BLOCKS
    )
    calls = [_call(call, step) for call in _tool_calls(message)]
    calls += [_block_call(block, step) for block in blocks if block["type"] == "tool_use"]
    text = _text(content) or ""
    if text or not calls:
        events.append(event_row("assistant_message", step=step, content=text))
    events.extend(calls)
    events.extend(_block_results(blocks))


def _other(message: dict[str, Any], events: list[EventRow]) -> None:
    role, content = message.get("role"), message.get("content")
    blocks = _blocks(content) or []
    results = _block_results(blocks)
    if role in ("tool", "function"):
        call_id, name = _name(message.get("tool_call_id")), _name(message.get("name"))
        text, is_error = _text(content), _flag(message.get("is_error"))
        plain = event_row(
            "tool_result", tool_name=name, tool_call_id=call_id, content=text, is_error=is_error
        )
        events.extend(results or [plain])
        return
    if role == "user":
        events.extend(results)
        events.extend(_block_call(block, None) for block in blocks if block["type"] == "tool_use")
        if not results or len(results) < len(blocks):
            events.append(event_row("user_message", content=_text(content)))
        return
    if role in ("system", "developer"):
        events.append(event_row("system", content=_text(content)))
        return
    events.append(event_row("custom", name=_name(role), content=_text(content)))


def _block_results(blocks: list[dict[str, Any]]) -> list[EventRow]:
    return [
        event_row(
            "tool_result",
            tool_call_id=_name(block.get("tool_use_id")),
            content=_text(block.get("content")),
            is_error=_flag(block.get("is_error")),
        )
        for block in blocks
        if block["type"] == "tool_result"
    ]


def _tool_calls(message: dict[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    if calls is None or calls in ("", {}):
        calls = []
    if not isinstance(calls, list):
        raise UnreadableError(f"tool_calls: expected a list, found {_kind(calls)}")
    older = message.get("function_call")
    return calls if older is None else [*calls, older]


def _call(call: Any, step: int) -> EventRow:
    if not isinstance(call, dict):
        raise UnreadableError(f"tool_calls: expected objects, found {_kind(call)}")
    nested = call.get("function")
    source = nested if isinstance(nested, dict) else call
    arguments = source.get("arguments", source.get("args"))
    return event_row(
        "tool_call",
        step=step,
        tool_name=_name(source.get("name")),
        tool_call_id=_name(call.get("id")),
        arguments=_structured(arguments),
    )


def _block_call(block: dict[str, Any], step: int | None) -> EventRow:
    return event_row(
        "tool_call",
        step=step,
        tool_name=_name(block.get("name")),
        tool_call_id=_name(block.get("id")),
        arguments=_structured(block.get("input")),
    )


def _blocks(content: Any) -> list[dict[str, Any]] | None:
    """Content that is a block list: every element an object with a type that is a text."""
    is_list = isinstance(content, list) and all(
        isinstance(block, dict) and isinstance(block.get("type"), str) for block in content
    )
    return content if is_list else None


def _text(content: Any) -> str | None:
    """Content as text: the text blocks of a block list, anything else as recorded or as JSON."""
    if content is None or isinstance(content, str):
        return content
    blocks = _blocks(content)
    if blocks is None:
        return json_text(content)
    return "\n".join(_block_text(block) for block in blocks if block["type"] in _TEXT_BLOCKS)


def _block_text(block: dict[str, Any]) -> str:
    for field in ("text", "content", "thinking", "reasoning"):
        if block.get(field) is not None:
            return _structured(block[field]) or ""
    return ""


def _structured(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json_text(value)


def _name(value: Any) -> str | None:
    return _structured(value)


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
