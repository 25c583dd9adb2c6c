"""What a run left behind: files, diffs and artifacts."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.strategies.records import CONTENTS, NUMBERS

PATHS = [
    "a",
    "a.md",
    ".a",
    "src/a.py",
    "src/b.py",
    "src/x/a.py",
    "src/.env",
    "a/b/c/d",
    "é.md",
    "a\nb",
    "",
    "[a]",
]
GLOBS = ["a", "*", "**", "*.md", "src/*.py", "src/**/*.py", "**/a.py", "**/*", "a/**", "*/b*", "??", "[!a]*"]
GLOBS += [".*", "src/[ab].py", "[a]", "é.*", "src/**", "a*b", "*[", "**/.env", "a/*/d"]

FILES = st.one_of(
    st.none(),
    st.lists(
        st.one_of(
            st.fixed_dictionaries({"path": st.sampled_from(PATHS), "content": CONTENTS}),
            st.fixed_dictionaries({"path": st.sampled_from(PATHS), "content": CONTENTS}),
            st.sampled_from([None, {"path": None, "content": "x"}, {"path": "a.md"}, {"path": "a\ud800"}]),
        ),
        max_size=4,
    ),
)

_LINES = st.sampled_from(
    ["--- a/a", "+++ b/a", "@@ -1 +1 @@", "-x", "+id=7", "+é", " ok", "\r", "+\ud83d", "x"]
)
DIFFS = st.one_of(st.none(), st.just(""), st.lists(_LINES, max_size=4).map("\n".join))
TURN_DIFFS = st.one_of(
    st.none(),
    st.lists(
        st.one_of(
            st.none(),
            st.fixed_dictionaries({"turn": NUMBERS, "diff": DIFFS}),
            st.just({"turn": 0, "diff": "x"}),
        ),
        max_size=3,
    ),
)

_VALUES = st.sampled_from(
    [
        "1",
        "1.0",
        "true",
        '"1"',
        "null",
        "-3",
        "0.5",
        "1e400",
        "9007199254740993",
        "[1]",
        '{"x":1}',
        "NaN",
        '"é"',
    ]
)
_METRICS = st.one_of(
    st.sampled_from(
        ["", "{}", "null", "[]", "3", "{", '{"n":1,"n":2}', '{"values":null,"n":1}', '{"values":{}}']
    ),
    st.builds('{{"n":{},"é":{}}}'.format, _VALUES, _VALUES),
    st.builds('{{"values":{{"n":{},"m":{}}},"n":1}}'.format, _VALUES, _VALUES),
    st.builds('{{"n":{},"values":{}}}'.format, _VALUES, _VALUES),
)
ARTIFACTS = st.one_of(
    st.none(),
    st.dictionaries(st.sampled_from(["custom_metrics.json", "out/m.json", "é"]), _METRICS, max_size=2),
    st.fixed_dictionaries({"custom_metrics.json": _METRICS}),
    st.sampled_from([{"custom_metrics.json": None}, {"custom_metrics.json": '{"n":"\ud800"}'}]),
)
