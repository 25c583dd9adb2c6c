"""What a YAML parser says of a text that is no YAML, in words that help its author."""

from __future__ import annotations

import yaml

from pipeline.errors import Problem

_HINTS = {
    "\t": "a tab; YAML is indented and separated by spaces",
    "@": "quote a text that begins with @",
    "`": "quote a text that begins with `",
    "%": "quote a text that begins with %",
}
_MORE = {
    "unknown escape character": "in double quotes \\ begins an escape: use single quotes, or \\\\",
    "invalid Unicode character": "half of a surrogate pair, or beyond Unicode, names no character",
    "mapping values are not allowed": "quote a text that holds ': '",
    "alphabetic or numeric": "quote a text that begins with * or &",
    "undefined alias": "quote a text that begins with *",
    "duplicate anchor": "an anchor (&name) is set once",
    "expected a single document": "a file holds one document; --- begins a second one",
    "expected ',' or '}'": "in {…} a text with braces, commas or ': ' must be quoted",
    "expected ',' or ']'": "in […] a text with braces, commas or ': ' must be quoted",
    "maximum nesting depth": "nested too deep",
}


def explain_syntax(file: str, text: str, error: yaml.YAMLError) -> Problem:
    """What is wrong with a text, with the line of the mistake and how to mend it.

    Args:
        file: its name.
        text: what was parsed.
        error: what the parser raised.
    """
    if not isinstance(error, yaml.MarkedYAMLError):
        return Problem(file, "", f"not YAML: {' '.join(str(error).split())}")
    what = " ".join(filter(None, (error.context, error.problem)))
    mark = error.problem_mark or error.context_mark
    if error.context_mark and "unexpected end of stream" in what:
        mark = error.context_mark  # Where the quotes open, not where the file ends.
    hint = next((hint for start, hint in _MORE.items() if start in what), None)
    if hint is None and mark is not None and "cannot start any token" in what:
        hint = _HINTS.get(text[mark.index : mark.index + 1])
    where = f"{file}:{mark.line + 1}" if mark else file
    return Problem(where, "", f"not YAML: {what}{f' ({hint})' if hint else ''}")
