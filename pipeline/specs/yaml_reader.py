"""YAML and JSON read strictly, with the line of every value.

PyYAML parses and composes; typing is the YAML 1.2 core schema (`no`, `on`, `12:30` and dates are
text), done here because PyYAML knows only 1.1. Duplicate keys, tags, and integers with leading
zeros are refused; aliases, nesting and size are bounded. Every problem is reported, not the first.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import re
from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import yaml

from pipeline.errors import InvalidError, Problem
from pipeline.specs.scalars import read_scalar
from pipeline.specs.source_text import SourceText, decode
from pipeline.specs.syntax import explain_syntax

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 64
MAX_NODES = 500_000

Path = tuple[str | int, ...]


_FASTEST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml where PyYAML was built with it


class _Loader(_FASTEST):
    """Leaves every scalar without a tag of its own as a text."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_TAGGED = re.compile(r"(?:&[^\s,\[\]{}]+\s+)?!(?=[\s,\]}]|$)")


@dataclasses.dataclass(frozen=True)
class Document:
    """A document that was read.

    Attributes:
        file: its name, for messages.
        text: its text.
        value: plain dicts, lists and scalars.
        lines: the 1-based line of the value at each path.
        problems: what is wrong with single values.
        refused: paths of the values that are missing for it; null stands for them.
        unquoted: paths of the texts without quotes that may hold a parameter (`${`).
    """

    file: str
    text: str
    value: Any
    lines: Mapping[Path, int]
    problems: tuple[Problem, ...] = ()
    refused: frozenset[Path] = frozenset()
    unquoted: frozenset[Path] = frozenset()

    def is_refused(self, path: Path) -> bool:
        """Whether the value at `path`, or one around it, was refused already."""
        return bool(self.refused) and any(path[:n] in self.refused for n in range(len(path) + 1))

    def lacks_value(self, path: Path) -> bool:
        """Whether a value in the mapping at `path` was refused, so that its keys cannot be held together."""
        return any(refused[:-1] == path for refused in self.refused)

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
        file: its name, for messages; one that ends in `.json` is read as strictly as JSON.
        data: its bytes, UTF-8.

    Raises:
        InvalidError: with all problems that were found.
    """
    document = scan_document(file, data)
    if document.problems:
        raise InvalidError(document.problems)
    return document


def scan_document(file: str, data: bytes) -> Document:
    """Read one document, and keep what is wrong with single values of it for later.

    Raises:
        InvalidError: it is no document at all, or too large.
    """
    if len(data) > MAX_BYTES:
        raise InvalidError([Problem(file, "", f"larger than {MAX_BYTES} bytes")])
    source = decode(file, data)
    with _no_collection():
        try:
            root = yaml.compose(source.yaml, Loader=_Loader)
        except yaml.YAMLError as error:
            raise InvalidError([explain_syntax(file, source.yaml, error)]) from error
        except RecursionError as error:
            raise InvalidError([Problem(file, "", f"nested deeper than {MAX_DEPTH}")]) from error
        if root is None:
            raise InvalidError([Problem(f"{file}:1", "", "the file is empty")])
        builder = _Builder(file, source)
        value = builder.build(root, ())
    if builder.is_beyond_bounds:
        raise InvalidError(builder.problems)
    return Document(
        file,
        source.text,
        value,
        builder.lines,
        tuple(builder.problems),
        frozenset(builder.refused),
        frozenset(builder.unquoted),
    )


@contextlib.contextmanager
def _no_collection() -> Generator[None]:
    """Pause the search for cyclic garbage: there is none among many nodes, and it takes most of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Builder:
    """Turns the node graph of one document into values, and remembers where each stood."""

    def __init__(self, file: str, source: SourceText) -> None:
        self.file = file
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []
        self.refused: set[Path] = set()
        self.unquoted: set[Path] = set()
        self.is_beyond_bounds = False
        self._source = source
        self._nodes = 0

    def build(self, node: yaml.Node, path: Path) -> Any:
        self._nodes += 1
        self.lines.setdefault(path, node.start_mark.line + 1)
        if self.is_beyond_bounds:  # Said once: an alias to itself would be too deep without end.
            return None
        if len(path) > MAX_DEPTH or self._nodes > MAX_NODES:
            self.is_beyond_bounds = True
            is_deep = len(path) > MAX_DEPTH
            message = f"nested deeper than {MAX_DEPTH}" if is_deep else f"more than {MAX_NODES} values"
            return self._refuse(node, path[:3], f"{message}, aliases included")
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
        self.refused.add(path)

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
                where = f"{self.file}:{key_node.start_mark.line + 1}"
                message = f"the key {key!r} stands here twice"
                self.problems.append(Problem(where, show_path((*path, key)), message))
                continue
            self.lines[*path, key] = key_node.start_mark.line + 1
            built[key] = self.build(value_node, (*path, key))
        return built

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> Any:
        text = node.value
        if node.tag != "tag:yaml.org,2002:str":
            return self._refuse(node, path, f"the tag {node.tag!r} is not allowed; write plain YAML")
        if node.style or self._is_tagged_text(node):  # Quoted or a block: always a text.
            return text
        if "${" in text:
            self.unquoted.add(path)
        try:
            value = read_scalar(text)
        except ValueError as error:
            return self._refuse(node, path, str(error))
        if self._source.is_json and isinstance(value, str):
            return self._refuse(node, path, f"{text} is not JSON; quote it if it is a text")
        return value

    def _is_tagged_text(self, node: yaml.ScalarNode) -> bool:
        """Whether a scalar has the non-specific tag `!`, of which the parser keeps no trace."""
        start = node.start_mark.index
        text = self._source.yaml
        return text[start : start + 1] in ("!", "&") and bool(_TAGGED.match(text, start))
