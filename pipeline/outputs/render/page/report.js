"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const pane = document.getElementById("conversation");
  const links = all(".examples a");

  // What cannot be seen, or changes how others are seen, is shown as an escape, as in visible_text.py.
  const ranges = data.unseen.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join("-"));
  const unseen = new RegExp(`[${ranges.join("")}]|\\r(?!\\n)`, "gu");
  const visible = (text) => text.replace(unseen, (character) => {
    if (character === "\r") return "\\r";
    const code = character.codePointAt(0).toString(16).padStart(4, "0");
    return code.length === 4 ? `\\u${code}` : `\\u{${code}}`;
  });

  // Whatever comes from data becomes text, never markup.
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
    return element;
  }

  const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  // An attribute keeps no carriage return, so an id stands there in the form that a link has it.
  const idOf = (link) => decodeURIComponent(link.dataset.trajectory);
  const oneLine = (text) => text.replace(/[\t\n\r]/g, (blank) => ({ "\t": "\\t", "\n": "\\n", "\r": "\\r" })[blank]);
  const quotedForShell = (text) => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const command = (trajectory, ...rest) => make("pre", { tabindex: "0" }, ["gradebeam show", quotedForShell(data.run), quotedForShell(trajectory), ...rest].join(" "));

  function pretty(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }

  // The texts that a sentence of evidence quotes.
  function quoted(evidence) {
    const found = [];
    for (const [literal] of evidence.matchAll(/"(?:[^"\\]|\\.)+"/g)) {
      const plain = literal.slice(1, -1);
      found.push(plain);
      try {
        found.push(visible(JSON.parse(literal)));
      } catch { /* It is no JSON text; as it stands will do. */ }
    }
    return [...new Set(found.map((text) => text.replace(/…$/, "")).filter((text) => text.length > 1))];
  }

  function highlighted(raw, phrases) {
    const text = visible(raw);
    const fragment = document.createDocumentFragment();
    let at = 0;
    while (at < text.length) {
      let next = -1, length = 0;
      for (const phrase of phrases) {
        const here = text.indexOf(phrase, at);
        if (here >= 0 && (next < 0 || here < next || (here === next && phrase.length > length))) {
          next = here;
          length = phrase.length;
        }
      }
      if (next < 0) break;
      fragment.append(text.slice(at, next), make("mark", {}, text.slice(next, next + length)));
      at = next + length;
    }
    fragment.append(text.slice(at));
    return fragment;
  }

  const ROLES = {
    user_message: "user", assistant_message: "assistant", tool_call: "call", tool_result: "result",
    reasoning: "reasoning", system: "system", error: "error", skill_activation: "skill",
  };

  function eventItem(event, marked, phrases) {
    const isMarked = event.index === marked;
    const known = Object.hasOwn(ROLES, event.type);
    const item = make("li", { class: `event ${known ? event.type : "other"}${event.error ? " failed" : ""}${isMarked ? " marked" : ""}` });
    if (isMarked) item.id = "evidence";
    const role = make("p", { class: "role" }, make("span", {}, known ? ROLES[event.type] : event.type));
    const name = event.tool ?? event.name;
    if (name !== undefined) role.append(make("b", {}, name));
    if (event.error) role.append(make("span", { class: "fail" }, "failed"));
    if (event.answers !== undefined) role.append(make("span", {}, `answers event ${event.answers}`));
    role.append(make("span", {}, `event ${event.index}`));
    item.append(role);
    const wanted = isMarked || event.type === "assistant_message" || event.type === "tool_result" ? phrases : [];
    if (event.arguments !== undefined) item.append(make("pre", { tabindex: "0" }, highlighted(pretty(event.arguments), phrases)));
    if (event.content !== undefined) {
      const isData = event.type === "tool_result";
      const text = isData ? pretty(event.content) : event.content;
      const body = make(isData ? "pre" : "div", isData ? { tabindex: "0" } : { class: "text" });
      body.append(highlighted(text, wanted));
      item.append(body);
    }
    if (event.data !== undefined) item.append(make("pre", { tabindex: "0" }, event.data));
    if (event.more !== undefined) item.append(make("p", { class: "note" }, `… ${counted(event.more, "more character")}`));
    return item;
  }

  function timeline(talk, marked, phrases) {
    const list = make("ol", { class: "talk" });
    let turn = null, expected = 0;
    for (const event of talk.events) {
      if (event.index > expected) list.append(make("li", { class: "gap" }, `${counted(event.index - expected, "event")} left out`));
      if (event.turn !== turn) {
        turn = event.turn;
        list.append(make("li", { class: "turn" }, `turn ${turn}`));
      }
      list.append(eventItem(event, marked, phrases));
      expected = event.index + 1;
    }
    if (talk.count > expected) list.append(make("li", { class: "gap" }, `${counted(talk.count - expected, "event")} left out`));
    if (!talk.count) list.append(make("li", { class: "gap" }, "the record has no events"));
    return list;
  }

  function facts(talk) {
    const parts = [`sample ${talk.sample}`];
    if (talk.trial !== undefined) parts.push(`trial ${talk.trial}`);
    if (talk.model !== undefined) parts.push(talk.model);
    if (talk.agent !== undefined) parts.push(talk.agent);
    for (const [key, value] of Object.entries(talk.tags ?? {})) parts.push(`${key} ${value}`);
    if (talk.end !== undefined) parts.push(`ended: ${talk.end}`);
    return parts.join(" · ");
  }

  function head(link, talk) {
    const { check, outcome } = link.dataset;
    const evidence = link.closest("li").querySelector(".evidence").textContent;
    const buttons = make("div", { class: "buttons" });
    for (const [label, title, step] of [["↑", "previous run", -1], ["↓", "next run", 1]]) {
      const button = make("button", { type: "button", "aria-label": title, title });
      button.append(label);
      button.addEventListener("click", () => go(step));
      buttons.append(button);
    }
    const element = make("div", { class: "talk-head" }, buttons, make("h3", {}, oneLine(idOf(link))));
    const name = document.querySelector(`#check-${check} .name`).textContent;
    const why = make("p", { class: "why" });
    why.append(make("span", { class: outcome === "fail" ? "fail" : "quiet" }, outcome === "fail" ? "✘ failed " : "○ abstained from "), `check ${check}, ${name}: ${evidence}`);
    element.append(why);
    if (talk) element.append(make("p", {}, facts(talk)));
    return element;
  }

  function show(link) {
    all(".examples .current").forEach((item) => item.classList.remove("current"));
    all(".examples a[aria-current]").forEach((item) => item.removeAttribute("aria-current"));
    link.closest("li").classList.add("current");
    link.setAttribute("aria-current", "true");
    const trajectory = idOf(link);
    const event = link.dataset.event;
    const talk = Object.hasOwn(data.conversations, trajectory) ? data.conversations[trajectory] : null;
    const evidence = link.closest("li").querySelector(".evidence").textContent;
    const marked = event === "" ? null : Number(event);
    const parts = [head(link, talk)];
    if (!talk) {
      parts.push(make("p", { class: "quiet hint" }, data.missing), command(trajectory));
    } else {
      if (talk.error) parts.push(make("p", { class: "fail" }, `the run's own error: ${talk.error}`));
      parts.push(timeline(talk, marked, quoted(evidence)));
      for (const [key, title] of [["output", "Final output as recorded"], ["reference", "Reference data"]]) {
        if (talk[key] === undefined) continue;
        const pre = make("pre", { tabindex: "0" });
        pre.append(highlighted(pretty(talk[key]), quoted(evidence)));
        parts.push(make("h3", {}, title), pre);
      }
    }
    pane.replaceChildren(...parts);
    const evidenceItem = document.getElementById("evidence");
    pane.scrollTop = 0;
    if (evidenceItem) pane.scrollTop = evidenceItem.offsetTop - pane.clientHeight / 3;
  }

  function shownLinks() {
    return links.filter((link) => !link.closest("[hidden]"));
  }

  function go(step) {
    const shown = shownLinks();
    if (!shown.length) return;
    const at = shown.findIndex((link) => link.getAttribute("aria-current"));
    const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
    location.hash = next.getAttribute("href");
  }

  // Deep links: #check=3&trajectory=run-7.
  function route() {
    const wanted = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const check = wanted.get("check");
    if (check === null) return;
    const box = document.getElementById(`check-${check}`);
    if (!box) return;
    box.hidden = false;
    box.open = true;
    const trajectory = wanted.get("trajectory");
    if (trajectory === null) {
      box.scrollIntoView({ block: "start" });
      box.querySelector("summary").focus({ preventScroll: true });
      return;
    }
    const link = links.find((item) => item.dataset.check === check && idOf(item) === trajectory);
    if (link) {
      show(link);
      link.closest("li").hidden = false;
      // On a narrow page the conversation stands below the list.
      const isNarrow = matchMedia("(max-width: 60rem)").matches;
      if (isNarrow) pane.scrollIntoView({ block: "start" });
      else link.scrollIntoView({ block: "center" });
      link.focus({ preventScroll: true });
      return;
    }
    pane.replaceChildren(make("p", { class: "quiet hint" }, `${oneLine(trajectory)} is not among the runs on this page.`), command(trajectory, `--check ${check}`));
    pane.scrollIntoView({ block: "nearest" });
  }

  const search = document.getElementById("search");
  const outcome = document.getElementById("outcome");

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (text) => words.every((word) => text.includes(word));
    let checks = 0, runs = 0;
    const shown = new Set();
    for (const box of all("details.check")) {
      const own = matches(box.dataset.text);
      let inside = 0;
      for (const item of all(".examples li", box)) {
        item.hidden = !(own || matches(`${box.dataset.text} ${item.textContent.toLowerCase()}`));
        inside += !item.hidden;
      }
      const states = box.dataset.state.split(" ");
      box.hidden = (outcome.value !== "" && !states.includes(outcome.value)) || !(own || inside);
      if (words.length && inside && !own && !box.hidden) box.open = true;
      if (!box.hidden) {
        shown.add(box.dataset.check);
        runs += inside;
      }
    }
    for (const row of all(".checks tbody tr")) {
      row.hidden = !shown.has(row.dataset.check);
      checks += !row.hidden;
    }
    document.querySelector("#checks .empty").hidden = checks > 0;
    const isFiltered = words.length > 0 || outcome.value !== "";
    document.getElementById("matches").textContent = isFiltered ? `${counted(checks, "check")}, ${counted(runs, "run")}` : "";
  }

  function setUpTheme() {
    const button = document.getElementById("theme");
    const root = document.documentElement;
    const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      label();
    });
    label();
    button.hidden = false;
  }

  addEventListener("hashchange", route);
  search.addEventListener("input", filter);
  outcome.addEventListener("change", filter);
  document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|select|textarea)$/i.test(event.target.tagName ?? "")) return;
    if (event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if (event.key === "j" || event.key === "k") {
      go(event.key === "j" ? 1 : -1);
    }
  });
  addEventListener("beforeprint", () => all("details.check:not([hidden])").forEach((box) => { if (box.querySelector(".examples")) box.open = true; }));
  document.getElementById("filter").hidden = false;
  setUpTheme();
  route();
})();
