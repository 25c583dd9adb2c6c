"""YAML and JSON read strictly, with the line of every value.

PyYAML parses and composes; typing is the YAML 1.2 core schema (`no`, `on`, `12:30` and dates are
text), done here because PyYAML knows only 1.1. Duplicate keys, tags, and integers with leading
zeros are refused; aliases, nesting and size are bounded. Every problem is reported, not the first.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any, ClassVar

import yaml

from pipeline.errors import InvalidError, Problem

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 64
MAX_NODES = 500_000

Path = tuple[str | int, ...]


_FASTEST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml where PyYAML was built with it


class _Loader(_FASTEST):
    """Leaves every scalar without a tag of its own as a text."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_NULL = re.compile(r"(?:~|null|Null|NULL)?")
_BOOLEAN = re.compile(r"true|True|TRUE|false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_PREFIXED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MOST_DIGITS = 1000
_LEADING_ZEROS = re.compile(r"[-+]?0[0-9]+")


@dataclasses.dataclass(frozen=True)
class Document:
    """A document that was read.

    Attributes:
        file: its name, for messages.
        text: its text.
        value: plain dicts, lists and scalars.
        lines: the 1-based line of the value at each path.
    """

    file: str
    text: str
    value: Any
    lines: Mapping[Path, int]

    def problem(self, path: Path, message: str) -> Problem:
        """A problem with the value at `path`, or with the nearest one around it."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        return Problem(f"{self.file}:{self.lines.get(known, 1)}", show_path(path), message)


def show_path(path: Path) -> str:
    """A path as text: `checks[0].config.value`."""
    shown = ""
    for step in path:
        shown += f"[{step}]" if isinstance(step, int) else f".{step}" if shown else step
    return shown


def read_document(file: str, data: bytes) -> Document:
    """Read one YAML or JSON document.

    Args:
        file: its name, for messages.
        data: its bytes, UTF-8.

    Raises:
        InvalidError: with all problems that were found.
    """
    if len(data) > MAX_BYTES:
        raise InvalidError([Problem(file, "", f"larger than {MAX_BYTES} bytes")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidError([Problem(file, "", f"not UTF-8: byte {error.start}")]) from error
    try:
        root = yaml.compose(_join_surrogates(text), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        what = " ".join(filter(None, (error.context, error.problem)))
        raise InvalidError([Problem(f"{file}:{line}", "", f"not YAML: {what}")]) from error
    except yaml.YAMLError as error:
        raise InvalidError([Problem(file, "", f"not YAML: {' '.join(str(error).split())}")]) from error
    except RecursionError as error:
        raise InvalidError([Problem(file, "", f"nested deeper than {MAX_DEPTH}")]) from error
    if root is None:
        raise InvalidError([Problem(f"{file}:1", "", "the file is empty")])
    builder = _Builder(file)
    value = builder.build(root, ())
    if builder.problems:
        raise InvalidError(builder.problems)
    return Document(file, text, value, builder.lines)


_SURROGATES = re.compile(r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def _join_surrogates(text: str) -> str:
    """JSON writes characters beyond the basic plane as two escapes, which YAML does not know."""
    if not text.lstrip().startswith(("{", "[")):
        return text

    def join(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return bytes.fromhex(match[1] + match[2]).decode("utf-16-be")

    return _SURROGATES.sub(join, text)


class _Builder:
    """Turns the node graph of one document into values, and remembers where each stood."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []
        self._nodes = 0
        self._is_too_deep = False

    def build(self, node: yaml.Node, path: Path) -> Any:
        self._nodes += 1
        self.lines.setdefault(path, node.start_mark.line + 1)
        if len(path) > MAX_DEPTH or self._is_too_deep:
            if not self._is_too_deep:
                self._is_too_deep = True  # Once: an alias to itself would be too deep without end.
                self._refuse(node, path[:3], f"nested deeper than {MAX_DEPTH}")
            return None
        if self._nodes > MAX_NODES:
            if self._nodes == MAX_NODES + 1:
                self._refuse(node, path, f"more than {MAX_NODES} values once aliases are expanded")
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            if node.tag != "tag:yaml.org,2002:seq":
                return self._refuse(node, path, f"the tag {node.tag!r} is not allowed; write plain YAML")
            return [self.build(item, (*path, number)) for number, item in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)  # noqa: S101  (there are three kinds)
        return self._scalar(node, path)

    def _refuse(self, node: yaml.Node, path: Path, message: str) -> None:
        where = f"{self.file}:{node.start_mark.line + 1}"
        self.problems.append(Problem(where, show_path(path), message))

    def _mapping(self, node: yaml.MappingNode, path: Path) -> Any:
        if node.tag != "tag:yaml.org,2002:map":
            return self._refuse(node, path, f"the tag {node.tag!r} is not allowed; write plain YAML")
        built: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._refuse(key_node, path, "a key must be a text")
                continue
            key = key_node.value
            if key == "<<" and not key_node.style:
                self._refuse(key_node, path, "merge keys (<<) are not part of YAML 1.2; write the keys out")
                continue
            if key in built:
                self._refuse(key_node, (*path, key), f"the key {key!r} stands here twice")
                continue
            self.lines[*path, key] = key_node.start_mark.line + 1
            built[key] = self.build(value_node, (*path, key))
        return built

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> Any:
        text = node.value
        if node.tag not in ("tag:yaml.org,2002:str", "!"):
            return self._refuse(node, path, f"the tag {node.tag!r} is not allowed; write plain YAML")
        if node.style or node.tag == "!":  # Quoted or a block: always a text.
            return text
        if _NULL.fullmatch(text):
            return None
        if _BOOLEAN.fullmatch(text):
            return text.lower() == "true"
        if _LEADING_ZEROS.fullmatch(text):
            return self._refuse(
                node, path, f"{text} has leading zeros; quote it if it is a text, else drop them"
            )
        if _INTEGER.fullmatch(text):
            return self._integer(node, path)
        if _PREFIXED.fullmatch(text) and len(text) <= _MOST_DIGITS:
            return int(text[2:], 8 if text[1] == "o" else 16)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if math.isinf(number):
                return self._refuse(node, path, f"{text} is beyond the range of numbers")
            return number
        if _NOT_FINITE.fullmatch(text):
            return self._refuse(node, path, f"{text} is not a finite number; quote it if it is a text")
        return text

    def _integer(self, node: yaml.ScalarNode, path: Path) -> Any:
        try:
            return int(node.value)
        except ValueError:  # More digits than int() takes.
            return self._refuse(node, path, "an integer of more than 4,300 digits")
