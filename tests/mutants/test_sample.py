"""The mutants fit the code, and the tests see a few of them; `scripts/mutants` tries them all."""

from __future__ import annotations

import collections
import pathlib
from collections.abc import Iterator

import pytest

from tests.mutants.catalog import ROOT, Mutant, StaleError, all_mutants
from tests.mutants.trial import Finding, copied_project, run_tests, try_mutant

_BY_NAME = sorted(all_mutants(), key=lambda mutant: mutant.name)
SAMPLE = _BY_NAME[:: -(-len(_BY_NAME) // 6)]
LIMIT_S = 300


@pytest.fixture(scope="module")
def copy() -> Iterator[pathlib.Path]:
    with copied_project() as copy:
        yield copy


@pytest.mark.parametrize("mutant", all_mutants(), ids=lambda mutant: mutant.name)
def test_a_mutant_fits_the_code(mutant: Mutant) -> None:
    assert mutant.file.startswith("graders/")
    assert mutant.applied_to((ROOT / mutant.file).read_text(encoding="utf-8"))


def test_names_are_unique() -> None:
    counts = collections.Counter(mutant.name for mutant in all_mutants())
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    ("original", "replacement", "reason"),
    [("a", "b", "occurs 2 times"), ("z", "b", "occurs 0 times"), ("= aa", "= (", "no Python")],
)
def test_a_mutant_that_does_not_fit_is_an_error(original: str, replacement: str, reason: str) -> None:
    mutant = Mutant("m", "graders/x.py", original, replacement, "", "")
    with pytest.raises(StaleError, match=reason):
        mutant.applied_to("x = aa")


def test_the_unchanged_code_is_not_killed(copy: pathlib.Path) -> None:
    assert run_tests(copy, SAMPLE[0].tests, LIMIT_S)[0] is Finding.SURVIVED


def test_to_choose_no_test_is_no_answer(copy: pathlib.Path) -> None:
    assert run_tests(copy, "test_tally.py -k no_test_is_called_so", LIMIT_S)[0] is Finding.BROKEN


@pytest.mark.parametrize("mutant", SAMPLE, ids=lambda mutant: mutant.name)
def test_the_tests_see_a_mutant(mutant: Mutant, copy: pathlib.Path) -> None:
    assert try_mutant(mutant, copy, LIMIT_S)[0] is Finding.KILLED, mutant.meaning
