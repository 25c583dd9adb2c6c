"""The fenced blocks of a document, with what a comment before one tells the tests.

`<!-- test: file=my-spec.yaml -->` writes the block to that file; `<!-- test: skip=why -->` leaves it
out; `<!-- test: exit=1 -->` says how its commands end. Readers of the document see none of it. A
block without a language shows what the commands before it print, or a part of that.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]

_BLOCK = re.compile(
    r"(?:^<!-- test: (?P<option>\w+)=(?P<value>[^\n]*?) -->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_MINUTES = 5


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: what stands behind the fence; nothing for what commands print.
        text: what is in it.
        option: what the tests are told about it; empty for nothing.
        value: the option's value.
        line: where it begins.
    """

    language: str
    text: str
    option: str
    value: str
    line: int


def blocks(document: str) -> list[Block]:
    """The blocks of a document, in order."""
    return [
        Block(
            match["language"],
            match["text"],
            match["option"] or "",
            match["value"] or "",
            document.count("\n", 0, match.start()) + 1,
        )
        for match in _BLOCK.finditer(document)
    ]


def follow_all(document: str, work: pathlib.Path, project: pathlib.Path = ROOT) -> None:
    """Follow all blocks of a document in order, and see that commands print what it shows."""
    printed = ""
    for block in blocks(document):
        if block.language:
            printed = follow(block, work, project)
        else:
            assert _lines(block.text) in _lines(printed), f"line {block.line}:\n{block.text}\n{printed}"


def _lines(text: str) -> str:
    """A text without blank lines and what cannot be seen at the ends of others."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def follow(block: Block, work: pathlib.Path, project: pathlib.Path = ROOT) -> str:
    """Do in a directory what a block shows: write its file, or run its commands or program.

    Args:
        block: the block.
        work: the directory.
        project: the checkout whose packages are used.

    Returns:
        What was printed.
    """
    if block.option == "skip":
        return ""
    if block.option == "file":
        path = work / block.value
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        return ""
    commands = {
        "bash": ["bash", "-euo", "pipefail", "-c", block.text],
        "python": [sys.executable, "-c", block.text],
    }
    if block.language not in commands:
        return ""
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        commands[block.language],
        cwd=work,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        timeout=60 * _MINUTES,
        check=False,
    )
    expected = int(block.value) if block.option == "exit" else 0
    assert done.returncode == expected, (
        f"line {block.line}:\n{block.text}\n{done.stdout[-2000:]}{done.stderr[-3000:]}"
    )
    return done.stdout
