"""The report as one HTML file that loads nothing: everything is in it, and all text of data is inert.

Jinja escapes what stands in the page; what its script reads is JSON that no parser of HTML takes
for markup; and a policy in the page lets nothing run but its own script, known by its hash. What
cannot be seen is shown as an escape: by `visible` what the templates print, and by the same ranges
what the script does.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
from markupsafe import Markup

from graders.arrays import replace_surrogates
from pipeline.outputs.examples import Examples
from pipeline.outputs.near_misses import Difference
from pipeline.outputs.render import sections
from pipeline.outputs.visible_text import UNSEEN, visible, visible_line

_UNSAFE = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@dataclasses.dataclass(frozen=True)
class ReportData:
    """What a report shows.

    Attributes:
        manifest: the manifest of the run.
        tables: the rows of its tables `summary` and `scores`.
        examples: verdicts that did not pass, of each check some.
        conversations: trajectories by id, those that could be read.
        differences: near misses by (spec index, trajectory id).
        missing: why a conversation that is not there is not.
        comparison: the comparison with a baseline; None if there was none.
        directory: where the run is, as its user named it.
    """

    manifest: Mapping[str, Any]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    examples: Examples
    conversations: Mapping[str, Mapping[str, Any]]
    differences: Mapping[tuple[int, str], Difference]
    missing: str
    comparison: Mapping[str, Any] | None
    directory: str


def html_report(report: ReportData) -> bytes:
    """The page; the same report gives the same bytes."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pipeline.outputs.render", "page"),
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["line"] = visible_line
    style, script = (_source(environment, name) for name in ("report.css", "report.js"))
    shown = {
        "conversations": report.conversations,
        "missing": report.missing,
        "run": report.directory,
        "unseen": UNSEEN,
    }
    page = environment.get_template("report.html.j2").render(
        style=Markup(style),  # noqa: S704  (our own)
        script=Markup(script),  # noqa: S704  (our own)
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=Markup(_inert_json(shown)),  # noqa: S704  (escaped there)
        **sections.page(
            report.manifest,
            report.tables,
            report.examples,
            report.differences,
            report.conversations,
            report.comparison,
        ),
    )
    return replace_surrogates(page).encode()


def _shown(value: Any) -> Any:
    """What the templates print of a value: of a text, what can be seen; markup stays as it is."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _source(environment: jinja2.Environment, name: str) -> str:
    loader = environment.loader
    if loader is None:
        raise TypeError("an environment without a loader")
    return loader.get_source(environment, name)[0]


def _hash(text: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(f"sha256-{digest}")  # noqa: S704  (base64 holds nothing that would end the attribute)


def _inert_json(value: Any) -> str:
    """JSON that can stand in a script element: nothing in it ends that or begins a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_UNSAFE)
