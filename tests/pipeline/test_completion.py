"""Shell completion: a script that its shell takes, with the commands and flags of today."""

from __future__ import annotations

import subprocess

import pytest

from pipeline.cli import COMMANDS
from pipeline.commands.completion import SHELLS
from tests.pipeline.conftest import Command


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_knows_all_commands(shell: str, gradebeam: Command) -> None:
    done = gradebeam("completion", shell)
    assert done.code == 0
    assert all(name in done.out for name in COMMANDS)


def test_bash_completes_a_flag(gradebeam: Command) -> None:
    script = gradebeam("completion", "bash").out
    ask = 'COMP_WORDS=(gradebeam grade --over); COMP_CWORD=2; _shtab_gradebeam; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--overwrite"]
