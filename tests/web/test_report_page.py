"""The report in a real browser: it renders, filters, links, is inert, accessible and prints."""

from __future__ import annotations

import pathlib
from typing import Any
from urllib.parse import quote

import pytest

from pipeline.outputs.visible_text import visible
from tests.web.conftest import HOSTILE, sync_api

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = pytest.mark.web
Page = Any


def _open(page: Page, run: pathlib.Path, fragment: str = "") -> None:
    page.goto(f"{(run / 'report.html').as_uri()}{fragment}")


def _shown_checks(page: Page) -> list[str]:
    return page.locator(".checks tbody tr:visible td:first-child").all_inner_texts()


def test_it_shows_the_run(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    assert page.locator("h1").inner_text() == HOSTILE[5]
    assert _shown_checks(page) == ["0", "1", "2", "3", "4"]
    assert page.locator(".checks tbody th").nth(1).inner_text() == f"{HOSTILE[0]} outputMatches"
    assert page.locator("#abstentions tbody th").all_inner_texts() == ["RUN_ERROR"]
    assert page.locator(".checks tbody tr").first.locator("td").nth(2).inner_text() == "39"


def test_data_stays_text(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    for link in page.locator(".examples a").all()[:60:4]:
        link.evaluate("link => { location.hash = link.getAttribute('href'); }")
        trajectory = link.locator(".id").inner_text()
        page.wait_for_function(
            "id => document.querySelector('#conversation h3')?.textContent === id", arg=trajectory
        )
    assert page.evaluate("window.hit") is None
    assert page.locator("img, iframe, object, embed, [onerror], [onload]").count() == 0
    assert page.locator("script").count() == 2  # Its data and its own.
    assert page.locator("#conversation .event").count() > 0


def test_what_cannot_be_seen_is_shown(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    shown = "\\u001b[31mred\\u001b[0m \\u202etxt.exe\\u2066 \\u0000\\r99 %"
    link = page.locator("#check-2 .examples a", has_text=shown).first
    link.evaluate("link => { location.hash = link.getAttribute('href'); }")
    page.wait_for_function("document.querySelector('#conversation h3') !== null")
    assert page.locator("#conversation h3").first.inner_text() == link.locator(".id").inner_text()
    for kind in ("user_message", "tool_call", "tool_result", "other"):
        text = page.locator(f"#conversation .event.{kind}").first.inner_text()
        assert shown.split(maxsplit=1)[0] in text, kind
    page.locator("script").evaluate_all("all => all.forEach(script => script.remove())")
    text = page.evaluate("document.documentElement.textContent")
    assert visible(text) == text


def test_the_policy_runs_no_other_script(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_gates_say_what_was_found(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    assert page.locator(".stamp").inner_text() == "✘ 2 of 4 limits not met"
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator(".gates tbody tr").all()]
    assert rows == [
        [
            "✔ met",
            f"{HOSTILE[0]} (min_pass_rate)",
            "check finds",
            "39 of 39 decided verdicts passed (100 %); at least 90 % wanted",
        ],
        ["✔ met", "max_fail", f"check finds, model = {HOSTILE[1]}", "0 verdicts failed; at most 0 wanted"],
        [
            "✘ not met",
            "no such model (min_total)",
            "all checks, model = none",
            "no data: there are no verdicts",
        ],
        [
            "✘ not met",
            "min_pass_rate",
            "check 1",
            "3 of 39 decided verdicts passed (7.69231 %); at least 98.7654 % wanted",
        ],
    ]


def test_trajectories_and_repeated_trials_are_shown(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    (spec,) = page.locator("#trajectories tbody").first.locator("tr").all()
    assert spec.locator("th").inner_text() == HOSTILE[5]
    counts = [int(text) for text in spec.locator("td.number").all_inner_texts()[:3]]
    assert sum(counts) == 40
    trials = [row.locator("td").all_inner_texts() for row in page.locator(".trials tbody tr").all()]
    assert [cells[:2] for cells in trials] == [["0", str(k)] for k in range(1, 6)]
    assert trials[0][3] == trials[0][4]  # One of one is all of one.


def test_slices_are_a_heat_map(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    heads = page.locator(".heat thead th").all_text_contents()
    assert sorted(heads[1:]) == sorted({visible(text.replace("\ud800", "\ufffd")) for text in HOSTILE})
    spec, *checks = page.locator(".heat tbody tr").all()
    classes = "all => all.map(td => td.className)"
    assert spec.locator("th").inner_text() == f"{HOSTILE[5]} trajectories that pass"
    assert set(spec.locator("td").evaluate_all(classes)) == {"h0"}
    assert len(checks) == 5
    assert set(checks[0].locator("td").evaluate_all(classes)) == {"h10"}


def test_changes_against_a_baseline_are_shown(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    finds = page.locator("#changes tbody tr").first.locator("td")
    assert finds.nth(6).inner_text() == "10"  # Newly passing: every fourth of forty.
    assert finds.nth(3).inner_text() == "+25.6"
    page.locator("#changes summary").click()
    assert page.locator("#changes li").first.is_visible()


def test_a_link_opens_check_run_and_event(page: Page, run_directory: pathlib.Path) -> None:
    id_ = f"run 5 {HOSTILE[5]}"
    _open(page, run_directory, f"#check=2&trajectory={quote(id_, safe='')}")
    assert page.locator("#conversation h3").first.inner_text() == id_
    assert page.locator("details#check-2").get_attribute("open") is not None
    assert page.locator("#evidence .role span").last.inner_text() == "event 1"
    assert page.locator("#evidence").is_visible()
    assert "events left out" in page.locator("#conversation .gap").first.inner_text()
    # What was expected stands beside what was found.
    difference = page.locator(".examples .current .difference")
    assert difference.locator(".missing").count() > 0
    assert difference.locator(".found").count() > 0


def test_choosing_a_run_makes_a_link(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory, "#check=1")
    assert page.evaluate("document.activeElement.closest('details').id") == "check-1"
    first = page.locator("#check-1 .examples a").first
    first.click()
    assert page.url.endswith(first.get_attribute("href"))
    page.keyboard.press("j")
    second = page.locator("#check-1 .examples a").nth(1)
    page.wait_for_function("url => location.hash === url", arg=second.get_attribute("href"))
    assert page.locator("#conversation h3").first.inner_text() == second.locator(".id").inner_text()
    page.keyboard.press("k")
    page.wait_for_function("url => location.hash === url", arg=first.get_attribute("href"))


def test_a_run_that_is_not_here_is_said_to_be(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory, "#check=1&trajectory=nobody")
    assert "nobody is not among the runs on this page" in page.locator("#conversation").inner_text()
    assert "gradebeam show" in page.locator("#conversation").inner_text()


def test_the_filter_filters(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    page.keyboard.press("/")
    page.keyboard.type("output-equals")
    assert _shown_checks(page) == ["3"]
    assert page.locator("#matches").inner_text().startswith("1 check, ")
    page.locator("#search").fill("run 9 nothing-of-it")
    assert page.locator("#checks .empty").is_visible()
    page.locator("#search").fill("")
    page.locator("#outcome").select_option("clean")
    assert _shown_checks(page) == ["0"]
    page.locator("#outcome").select_option("")
    assert len(_shown_checks(page)) == 5
    assert page.locator("#matches").inner_text() == ""


def test_the_filter_finds_runs(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    page.locator("#search").fill("run 5 svg")
    boxes = page.locator("details.check:visible")
    assert boxes.count() > 0
    ids = boxes.locator(".examples li:visible .id").all_text_contents()  # In view or not.
    assert ids
    assert all("run 5 " in id_ for id_ in ids)


def test_it_is_accessible(page: Page, run_directory: pathlib.Path, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    _open(page, run_directory, f"#check=2&trajectory={quote(f'run 5 {HOSTILE[5]}', safe='')}")
    page.locator("details").evaluate_all("all => all.forEach(details => { details.open = true; })")
    found = axe.Axe().run(page)
    problems = [
        f"{violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for violation in found.response["violations"]
        for node in violation["nodes"][:3]
    ]
    assert not problems, "\n".join(problems)


def test_both_schemes_and_the_button(page: Page, run_directory: pathlib.Path, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    _open(page, run_directory)
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    assert (sum(map(int, before[4:-1].split(","))) < 300) == (scheme == "dark")
    page.locator("#theme").click()
    assert page.evaluate(ground) != before


def test_it_prints(page: Page, run_directory: pathlib.Path) -> None:
    _open(page, run_directory)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("nav").is_hidden()
    assert page.locator("#filter").is_hidden()
    assert page.locator("#check-1 .examples li").first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_it_fits_a_phone(page: Page, run_directory: pathlib.Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    _open(page, run_directory)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_verdict_of_gates_is_in_view_on_a_phone(page: Page, run_directory: pathlib.Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    _open(page, run_directory)
    for cell in page.locator(".gates .result").all():
        box = cell.bounding_box()
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390


def test_a_chosen_run_is_in_view_on_a_phone(page: Page, run_directory: pathlib.Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    _open(page, run_directory, "#check=1")
    page.locator("#check-1 .examples a").first.click()
    page.wait_for_function(
        "() => { const top = document.querySelector('#conversation h3')?.getBoundingClientRect().top;"
        " return top > 0 && top < 400; }"
    )


def test_it_reads_without_scripts(browser: sync_api.Browser, run_directory: pathlib.Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    _open(page, run_directory)
    assert page.locator(".checks tbody tr").count() == 5
    page.locator("#check-1 summary").click()
    assert page.locator("#check-1 .evidence").first.is_visible()
    assert page.locator("#filter").is_hidden()
    context.close()
