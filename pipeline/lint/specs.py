"""Findings in a spec alone."""

from __future__ import annotations

import fractions
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from graders.parameters import patterns_in
from graders.scope import CheckEntry
from pipeline.lint.finding import Finding
from pipeline.lint.patterns import lint_pattern
from pipeline.specs.loaded import LoadedSpec

_MOST_SUMS = 100_000


def lint_spec(spec: LoadedSpec) -> list[Finding]:
    """What a spec alone shows."""
    return [*_patterns(spec), *_duplicates(spec), *_never_gates(spec), *_negative_only(spec)]


def _patterns(spec: LoadedSpec) -> Iterator[Finding]:
    prefix = "" if spec.dialect.name == "guild" else ".config"
    for entry, place in _placed(spec):
        is_captured = entry.check_type == "assistant-contains-tool-output"
        for path, source in patterns_in(entry.check):
            where = f"{place}{prefix}.{path.replace('].check.', '].config.')}"
            for code, message in lint_pattern(source, is_captured=is_captured):
                yield Finding(where, code, message)


def _placed(spec: LoadedSpec) -> Iterable[tuple[CheckEntry, str]]:
    return zip(spec.entries, spec.dialect.places, strict=True)


def _duplicates(spec: LoadedSpec) -> Iterator[Finding]:
    """Checks that are equal but for their names, weights and whether they gate."""
    seen: dict[tuple[Any, ...], list[tuple[CheckEntry, str]]] = {}
    for entry, place in _placed(spec):
        key = (
            entry.check_type,
            entry.check.model_dump_json(),
            entry.turn,
            entry.samples,
            entry.tags,
            entry.negate,
        )
        alike = seen.setdefault(key, [])
        first = next((where for other, where in alike if other.check == entry.check), None)
        if first is None:
            alike.append((entry, place))
        else:
            yield Finding(place, "duplicate-check", f"the same check as {first}; drop one, or change it")


def _groups(entries: Sequence[CheckEntry]) -> list[list[CheckEntry]]:
    """The entries that meet on one trajectory, going by equal or missing selectors of samples."""
    selectors = dict.fromkeys(entry.samples for entry in entries)
    if selectors.keys() != {()}:
        selectors.pop((), None)
    return [[entry for entry in entries if entry.samples in ((), samples)] for samples in selectors]


def _never_gates(spec: LoadedSpec) -> Iterator[Finding]:
    gating = [entry for entry in spec.entries if not entry.advisory]
    if not gating:
        yield Finding(spec.file, "never-gates", "every check is advisory; take advisory from one")
    threshold = spec.dialect.threshold
    if threshold is None:
        return
    groups = _groups(gating)
    if any(not entry.samples for entry in gating):
        groups.append([entry for entry in gating if not entry.samples])  # All that other samples have.
    decisive = {entry.spec_index for group in groups for entry in _decisive(group, threshold)}
    for entry, place in _placed(spec):
        if not entry.advisory and entry.spec_index not in decisive:
            yield Finding(
                place,
                "never-gates",
                f"with weight {entry.weight:g} its failure never takes the score below the threshold"
                f" {threshold:g}, whatever else fails; raise the weight or the threshold",
            )


def _decisive(group: Sequence[CheckEntry], threshold: float) -> Iterator[CheckEntry]:
    """The entries of a group whose failure can make the difference between passing and failing.

    That is so where others may fail, together of so little weight that the score stays at or over the
    threshold, and of so much that it does not once this entry fails too. Exact, in decimal fractions.
    """
    weights = [fractions.Fraction(str(entry.weight)) for entry in group]
    slack = sum(weights) * (1 - fractions.Fraction(str(threshold)))
    judged: dict[fractions.Fraction, bool] = {}
    for at, entry in enumerate(group):
        if weights[at] not in judged:
            others = weights[:at] + weights[at + 1 :]
            judged[weights[at]] = _largest_sum(others, slack) + weights[at] > slack
        if judged[weights[at]]:
            yield entry


def _largest_sum(weights: Sequence[fractions.Fraction], limit: fractions.Fraction) -> fractions.Fraction:
    """The largest sum of some of the weights that is at most the limit."""
    if sum(weights) <= limit:
        return sum(weights, fractions.Fraction())
    sums = {fractions.Fraction()}
    for weight in weights:
        sums |= {total for one in sums if (total := one + weight) <= limit}
        if len(sums) > _MOST_SUMS:
            return limit  # So many that one of them will be near enough.
    return max(sums)


def _negative_only(spec: LoadedSpec) -> Iterator[Finding]:
    groups = _groups(spec.entries)
    places = dict(zip((entry.spec_index for entry in spec.entries), spec.dialect.places, strict=True))
    for group in groups:
        if all(entry.check.passes_on_absence != entry.negate for entry in group):
            samples = next((entry.samples for entry in group if entry.samples), ())
            who = f" on {', '.join(samples)}" if samples else ""
            place = spec.file if len(groups) == 1 else places[group[-1].spec_index]
            yield Finding(
                place,
                "negative-only",
                f"every check{who} passes where nothing happened; add one that asks for what should",
            )
