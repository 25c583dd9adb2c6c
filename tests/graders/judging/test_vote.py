"""What a reply means: one of three verdicts, or trouble that is never a pass and never a fail."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.judging.scale import Scale
from graders.judging.vote import Reply, ReplyStatus, Vote, read_vote
from graders.outcome import AbstainCode, Outcome

HALF = Fraction(1, 2)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["pass", "fail"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["verdict", "reason", "x"]), inner)
    ),
    max_leaves=6,
)


def vote(text: str, scale: Scale = Scale.OUTCOME) -> Vote:
    return read_vote(Reply(ReplyStatus.ANSWERED, text), scale, HALF)


@pytest.mark.parametrize("scale", Scale)
@given(text=st.text() | st.binary().map(lambda data: data.decode("latin-1")) | JSON.map(json.dumps))
def test_total(scale: Scale, text: str) -> None:
    said = vote(text, scale)
    assert (said.outcome is Outcome.ABSTAIN) == (said.code is not None) == (said.score is None)
    if said.score is not None:
        assert 0 <= said.score <= 1
        verdict = json.loads(text.strip())["verdict"]
        assert verdict == said.outcome.label if scale is Scale.OUTCOME else 1 <= verdict <= scale.value


@pytest.mark.parametrize(
    "text",
    [
        "pass", '"pass"', "[]", "{}", "null", '{"verdict": null}', '{"verdict": ["pass"]}', '{"verdict": "pass "}',
        '{"verdict": "Pass"}', '{"Verdict": "pass"}', '{"result": {"verdict": "pass"}}', '{"verdict": "pass"} ok',
        '{"verdict": "pass"}{"verdict": "pass"}', "{'verdict': 'pass'}", '{"verdict": pass}', '{"verdict": "INCORRECT"}',
        "```\n```", '```json\n{"verdict": "pass"}\n``` and more', "[" * 100_000, '{"a":' * 100_000, "1" * 5_000,
        '{"verdict": ' + "9" * 5_000 + "}",
    ],
)  # fmt: skip
def test_anything_else_is_unparsable(text: str) -> None:
    for scale in Scale:
        assert vote(text, scale).code is AbstainCode.JUDGE_UNPARSABLE


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-1", "0.999", "5.001", "1e400", "true", '"3"'])
def test_numbers_beyond_the_scale_are_unparsable(number: str) -> None:
    assert vote(f'{{"verdict": {number}}}', Scale.ONE_TO_FIVE).code is AbstainCode.JUDGE_UNPARSABLE


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (ReplyStatus.REFUSED, AbstainCode.JUDGE_REFUSED),
        (ReplyStatus.UNAVAILABLE, AbstainCode.JUDGE_UNAVAILABLE),
        (ReplyStatus.PAST_BUDGET, AbstainCode.JUDGE_BUDGET),
    ],
)
def test_no_answer_is_no_vote_whatever_it_says(status: ReplyStatus, code: AbstainCode) -> None:
    assert read_vote(Reply(status, '{"verdict": "pass"}'), Scale.OUTCOME, HALF).code is code


@pytest.mark.parametrize("text", ["I'm sorry, but I can't.", "I cannot judge this.", "  I’m unable to help."])
def test_refusals_in_words(text: str) -> None:
    assert vote(text).code is AbstainCode.JUDGE_REFUSED
