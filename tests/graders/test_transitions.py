"""Pairing verdicts, against a twin that keeps them in dictionaries."""

from __future__ import annotations

import collections
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from graders.transitions import KEYED_SCHEMA, STATES, State, Transitions, match

_COUNT = st.integers(0, 2**70)
TRANSITIONS = st.builds(Transitions, st.tuples(*[_COUNT] * STATES**2), _COUNT, _COUNT)
VERDICTS = st.lists(
    st.fixed_dictionaries(
        {
            "trajectory_id": st.sampled_from(["a", "b", "", "ä"]),
            "sample_id": st.sampled_from(["a", "b", None]),
            "trial": st.sampled_from([None, 0, 1, -(2**31), 2**31 - 1]),
            "check": st.integers(0, 2),
            "outcome": st.integers(0, 2),
        }
    ),
    max_size=30,
)
Verdicts = list[dict[str, Any]]


def _key(verdict: dict[str, Any]) -> tuple[Any, ...]:
    if verdict["trial"] is None:
        return verdict["check"], None, verdict["trajectory_id"]
    sample = verdict["trajectory_id"] if verdict["sample_id"] is None else verdict["sample_id"]
    return verdict["check"], verdict["trial"], sample


def _slowly(base: Verdicts, run: Verdicts) -> dict[int, Transitions]:
    sides: tuple[dict[Any, list[int]], ...] = (collections.defaultdict(list), collections.defaultdict(list))
    for side, verdicts in zip(sides, (base, run), strict=True):
        for verdict in verdicts:
            side[_key(verdict)].append(verdict["outcome"])
    found: dict[int, Transitions] = collections.defaultdict(Transitions)
    for key in {*sides[0], *sides[1]}:
        old, new = sides[0].get(key, []), sides[1].get(key, [])
        if len(old) > 1 or len(new) > 1:
            counted = Transitions(ambiguous_base=len(old), ambiguous_run=len(new))
        else:
            at = 4 * (old or [State.ABSENT])[0] + (new or [State.ABSENT])[0]
            counted = Transitions(tuple(int(number == at) for number in range(16)))
        found[key[0]] = found[key[0]].merge(counted)
    return dict(found)


def _table(verdicts: Verdicts) -> pa.Table:
    return pa.Table.from_pylist(verdicts, KEYED_SCHEMA)


@given(base=VERDICTS, run=VERDICTS)
def test_like_the_twin_and_nothing_is_lost(base: Verdicts, run: Verdicts) -> None:
    matched = match(_table(base), _table(run))
    found = dict(matched.tallies())
    assert found == _slowly(base, run)
    for check, transitions in found.items():
        assert transitions.base_total == sum(verdict["check"] == check for verdict in base)
        assert transitions.run_total == sum(verdict["check"] == check for verdict in run)


def _values_of(verdicts: Verdicts, values: list[str | None]) -> dict[Any, str | None]:
    """Slice values by sample and trial; None where several trajectories have the key."""
    found: dict[Any, list[str]] = collections.defaultdict(list)
    for verdict, value in zip(verdicts, values, strict=True):
        if value is not None:
            found[_key(verdict)[1:]].append(value)
    return {key: of_key[0] if len(of_key) == 1 else None for key, of_key in found.items()}


def _sliced_slowly(
    base: Verdicts, run: Verdicts, of_base: dict[Any, str | None], of_run: dict[Any, str | None]
) -> dict[tuple[int, str], Transitions]:
    """The transitions of each check and slice value: those of the verdicts whose key has the value."""

    def _is_in(verdict: dict[str, Any], value: str) -> bool:
        key = _key(verdict)[1:]
        return (of_run[key] if key in of_run else of_base.get(key)) == value

    found: dict[tuple[int, str], Transitions] = {}
    for value in ("x", "y", "z"):
        parts = ([verdict for verdict in side if _is_in(verdict, value)] for side in (base, run))
        found |= {(check, value): transitions for check, transitions in _slowly(*parts).items()}
    return found


@given(data=st.data(), base=VERDICTS, run=VERDICTS, most=st.integers(1, 3))
def test_slices_like_the_twin(data: st.DataObject, base: Verdicts, run: Verdicts, most: int) -> None:
    values = st.sampled_from([None, "z", "y", "x"])
    given_values = [
        data.draw(st.lists(values, min_size=len(side), max_size=len(side))) for side in (base, run)
    ]
    matched = match(_table(base), _table(run))
    sliced = matched.slice_values(*(pa.chunked_array([pa.array(each, pa.string())]) for each in given_values))
    found: dict[tuple[int, str], Transitions] = {}
    rest: dict[int, Transitions] = {}
    for check, counts in matched.slice_tallies(sliced, most):
        assert len(counts.values) <= most
        rows = zip(counts.values, counts.counts.tolist(), strict=True)
        found |= {(check, value): Transitions.from_counts(row) for value, row in rows}
        rest[check] = Transitions.from_counts(counts.rest.tolist())
    expected = _sliced_slowly(base, run, *map(_values_of, (base, run), given_values))
    beyond: dict[int, Transitions] = dict.fromkeys(rest, Transitions())
    kept: dict[int, int] = collections.Counter()
    for check, value in sorted(expected):
        kept[check] += 1
        if kept[check] > most:
            beyond[check] = beyond[check].merge(expected.pop((check, value)))
    assert found == expected
    assert rest == beyond


@given(base=VERDICTS, run=VERDICTS)
def test_changes_are_rows_with_one_key(base: Verdicts, run: Verdicts) -> None:
    matched = match(_table(base), _table(run))
    changed = matched.changes(State.PASS, State.FAIL)
    for key in changed.tolist():
        old, new = base[matched.base_row[key]], run[matched.run_row[key]]
        assert _key(old) == _key(new)
        assert (old["outcome"], new["outcome"], old["check"]) == (0, 1, matched.check[key])
    total = sum(transitions.counts[STATES * State.PASS + State.FAIL] for _, transitions in matched.tallies())
    assert total == len(changed)


@given(base=VERDICTS, run=VERDICTS, seed=st.randoms())
def test_order_makes_no_difference(base: Verdicts, run: Verdicts, seed: Any) -> None:
    expected = dict(match(_table(base), _table(run)).tallies())
    seed.shuffle(base)
    seed.shuffle(run)
    assert dict(match(_table(base), _table(run)).tallies()) == expected


@given(first=TRANSITIONS, second=TRANSITIONS, third=TRANSITIONS)
def test_merging_is_associative_and_commutative_with_an_identity(
    first: Transitions, second: Transitions, third: Transitions
) -> None:
    assert first.merge(second) == second.merge(first)
    assert first.merge(second).merge(third) == first.merge(second.merge(third))
    assert first.merge(Transitions()) == first == Transitions().merge(first)
    merged = first.merge(second)
    assert merged.base_total == first.base_total + second.base_total
    assert merged.run_total == first.run_total + second.run_total
