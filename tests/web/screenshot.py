"""Take the pictures of the README: `python -m tests.web.screenshot`, after `scripts/run`."""

from __future__ import annotations

import pathlib
import sys

from playwright.sync_api import sync_playwright

from tests.web.conftest import CHROMIUM, FLAGS

HERE = pathlib.Path(__file__).parent
REPORT = HERE.parents[1] / ".sample" / "graded" / "report.html"
PICTURES = {
    "report.png": ("light", 1130, ""),
    "run.png": ("dark", 860, "#check=3&trajectory=tern-7.10-staging-en/6"),
}


def main() -> int:
    """Open the report of the sample, and write the pictures beside this file."""
    if not REPORT.exists():
        print(f"{REPORT} is not there; make it with scripts/run", file=sys.stderr)
        return 2
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for name, (scheme, height, fragment) in PICTURES.items():
            page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme=scheme)
            page.goto(f"{REPORT.as_uri()}{fragment}")
            if fragment:
                page.locator("#check-3").evaluate("box => scrollTo(0, box.offsetTop - 90)")
            page.screenshot(path=HERE / name)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
