"""Turns, steps and answers: what the order of a trajectory's events means (SEMANTICS section 1).

All functions work on the flattened events of a batch: `kinds[m]` holds an `EventType` per event
(0 for an unknown type), `row[m]` the trajectory of each event, `offsets[n + 1]` where each
trajectory begins.
"""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt

from graders.arrays import Mask, Positions
from graders.trajectory import EventType

_STEP_MAKERS = (EventType.REASONING, EventType.ASSISTANT_MESSAGE, EventType.TOOL_CALL)
_STEP_ENDERS = (
    EventType.USER_MESSAGE,
    EventType.TOOL_RESULT,
    EventType.TURN_START,
    EventType.TURN_END,
)
_ANY = -2


def number_turns(
    kinds: npt.NDArray[np.uint8],
    row: Positions,
    offsets: Positions,
    recorded: npt.NDArray[np.int64],
    is_recorded: Mask,
) -> npt.NDArray[np.int64]:
    """The 0-based turn of each event, int64[m].

    Where a trajectory records turns, an event without one belongs to the turn of the event before
    it, the first to 0. Elsewhere turn n begins at the (n+1)-th user_message.
    """
    users = np.cumsum(kinds == EventType.USER_MESSAGE)
    before_row = np.concatenate(([0], users))[offsets[:-1]]
    turns = np.maximum(users - before_row[row] - 1, 0)
    if is_recorded.any():
        latest = np.maximum.accumulate(np.where(is_recorded, np.arange(len(row)), -1))
        in_row = latest >= offsets[row]
        carried = np.where(in_row, recorded[latest], 0)
        turns = np.where(_rows_with(is_recorded, row, len(offsets) - 1)[row], carried, turns)
    return turns


def number_steps(
    kinds: npt.NDArray[np.uint8],
    row: Positions,
    offsets: Positions,
    recorded: npt.NDArray[np.int64],
    is_recorded: Mask,
) -> npt.NDArray[np.int64]:
    """The step of each event as its 0-based rank in the trajectory, int64[m]; -1 for no step.

    Only reasoning, assistant messages and calls make steps. Where a trajectory records steps, an
    event without one is in none. Elsewhere a step is a run of these three with at most one
    message, ended by a user message, a result or a turn event.
    """
    steps = np.full(len(kinds), -1, np.int64)
    makers = np.flatnonzero(np.isin(kinds, _STEP_MAKERS))
    has_recorded = _rows_with(is_recorded, row, len(offsets) - 1)
    derived = makers[~has_recorded[row[makers]]]
    if len(derived):
        enders = np.cumsum(np.isin(kinds, _STEP_ENDERS))[derived]
        of_row = row[derived]
        new_group = _differs(of_row) | _differs(enders)
        messages = np.cumsum(kinds[derived] == EventType.ASSISTANT_MESSAGE)
        starts = np.flatnonzero(new_group)
        group = np.cumsum(new_group) - 1
        before_group = np.concatenate(([0], messages))[starts]
        within = np.maximum(messages - before_group[group], 1)
        steps[derived] = _rank_runs(of_row, new_group | _differs(within))
    explicit = makers[has_recorded[row[makers]] & is_recorded[makers]]
    if len(explicit):
        order = np.lexsort((recorded[explicit], row[explicit]))
        sorted_events = explicit[order]
        of_row = row[sorted_events]
        new_step = _differs(of_row) | _differs(recorded[sorted_events])
        steps[sorted_events] = _rank_runs(of_row, new_step)
    return steps


def rank_kept_steps(steps: npt.NDArray[np.int64], kept: Mask, row: Positions) -> npt.NDArray[np.int64]:
    """Number the steps of the events in `kept` from 0 again, int64[m]; -1 elsewhere."""
    ranks = np.full(len(steps), -1, np.int64)
    events = np.flatnonzero(kept & (steps >= 0))
    if len(events):
        ordered = events[np.lexsort((steps[events], row[events]))]
        of_row = row[ordered]
        ranks[ordered] = _rank_runs(of_row, _differs(of_row) | _differs(steps[ordered]))
    return ranks


def pair_answers(
    kinds: npt.NDArray[np.uint8],
    row: Positions,
    ids: npt.NDArray[np.int32],
    names: npt.NDArray[np.int32],
    steps: npt.NDArray[np.int64],
) -> Positions:
    """For each result the position of the call that it answers, int64[m]; -1 elsewhere.

    `ids` and `names` are the codes of tool_call_id and tool_name, -1 for none. A result answers,
    among the unanswered calls before it, those with its id, or all if it has none; of these those
    with its name (if none has it: with an id the name is ignored, without one there is no
    answer); of these the latest step, and in it the earliest call.
    """
    answers = np.full(len(kinds), -1, np.int64)
    calls = np.flatnonzero(kinds == EventType.TOOL_CALL)
    results = np.flatnonzero(kinds == EventType.TOOL_RESULT)
    if not len(calls) or not len(results):
        return answers
    width = int(ids.max(initial=0)) + 1
    identified = calls[ids[calls] >= 0]
    keys = row[identified].astype(np.int64) * width + ids[identified]
    order = np.argsort(keys, kind="stable")
    keys, identified = keys[order], identified[order]

    # Where ids are unique among a trajectory's calls and no result lacks one, the id decides.
    n_rows = int(row[-1]) + 1
    is_intricate = np.zeros(n_rows, np.bool_)
    is_intricate[row[results[ids[results] < 0]]] = True
    is_intricate[row[identified[1:][keys[1:] == keys[:-1]]]] = True

    simple = results[~is_intricate[row[results]]]
    if len(simple) and len(keys):
        wanted = row[simple].astype(np.int64) * width + ids[simple]
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        is_match = (keys[found] == wanted) & (identified[found] < simple)
        _, firsts = np.unique(found[is_match], return_index=True)
        answering = simple[is_match][firsts]
        answers[answering] = identified[found[is_match][firsts]]
    if is_intricate.any():
        events = np.flatnonzero(
            ((kinds == EventType.TOOL_CALL) | (kinds == EventType.TOOL_RESULT)) & is_intricate[row]
        )
        for of_row in np.split(events, np.flatnonzero(np.diff(row[events])) + 1):
            _pair_one_row(of_row, kinds, ids, names, steps, answers)
    return answers


def _pair_one_row(
    events: Positions,
    kinds: npt.NDArray[np.uint8],
    ids: npt.NDArray[np.int32],
    names: npt.NDArray[np.int32],
    steps: npt.NDArray[np.int64],
    answers: Positions,
) -> None:
    """Pair the calls and results of one trajectory, writing into `answers`."""
    waiting: dict[tuple[int, int], list[tuple[int, int]]] = {}
    answered: set[int] = set()
    columns = zip(
        events.tolist(),
        (kinds[events] == EventType.TOOL_CALL).tolist(),
        ids[events].tolist(),
        names[events].tolist(),
        steps[events].tolist(),
        strict=True,
    )
    for event, is_call, call_id, name, step in columns:
        if is_call:
            # One heap per question that a result may ask; answered calls are dropped when met.
            for key in ((call_id, name), (call_id, _ANY), (_ANY, name), (_ANY, _ANY)):
                heapq.heappush(waiting.setdefault(key, []), (-step, event))
            continue
        by_id = call_id if call_id >= 0 else _ANY
        questions = [(by_id, name if name >= 0 else _ANY)]
        if call_id >= 0 and name >= 0:
            questions.append((by_id, _ANY))
        for question in questions:
            heap = waiting.get(question, [])
            while heap and heap[0][1] in answered:
                heapq.heappop(heap)
            if heap:
                call = heapq.heappop(heap)[1]
                answered.add(call)
                answers[event] = call
                break


def _rows_with(mask: Mask, row: Positions, n_rows: int) -> Mask:
    """Which trajectories have an event in `mask`."""
    found = np.zeros(n_rows, np.bool_)
    found[row[mask]] = True
    return found


def _differs(values: npt.NDArray[np.generic]) -> Mask:
    """Which elements differ from the one before; the first does."""
    changed = np.ones(len(values), np.bool_)
    changed[1:] = values[1:] != values[:-1]
    return changed


def _rank_runs(of_row: Positions, is_new: Mask) -> npt.NDArray[np.int64]:
    """Number the runs that begin at `is_new` from 0 in every row."""
    number = np.cumsum(is_new) - 1
    row_starts = np.flatnonzero(_differs(of_row))
    row_of = np.cumsum(_differs(of_row)) - 1
    return number - number[row_starts][row_of]
