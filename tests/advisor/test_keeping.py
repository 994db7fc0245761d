"""What a site has, or may not change, is in every answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acic.advisor.advice import Goal
from acic.advisor.explaining import Against, explain
from acic.advisor.forecast import forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.recommend import recommend
from acic.errors import InvalidInput
from acic.platforms import Platform
from tests.advisor.conftest import WRITE, application

GOALS = st.sampled_from(list(Goal))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(data=st.data(), goal=GOALS)
def test_every_answer_has_what_is_kept_and_is_the_best_that_has(
    cluster: Platform, knowledge: Knowledge, data: st.DataObject, goal: Goal
) -> None:
    names = data.draw(st.lists(st.sampled_from(cluster.space.names), min_size=1, max_size=2, unique=True))
    some = data.draw(st.sampled_from(list(cluster.space.configurations())))
    keep = {name: some[name] for name in names if some.get(name) is not None}
    advice = recommend(application(WRITE), cluster, knowledge, goal=goal, keep=keep, top=100)
    for one in advice.recommendations:
        assert keep.items() <= one.configuration.items()
        assert not keep.keys() & one.free.keys()
    found = forecast(application(WRITE), cluster, knowledge, goal=goal)
    able = np.flatnonzero(knowledge.having(keep))
    objective = found.objective(goal)
    first = (knowledge.points == cluster.space.point(advice.recommendations[0].configuration)).all(axis=1)
    assert objective[first].item() <= objective[able].min() * (1 + found.tolerance)


def test_what_is_kept_of_the_first_answer_leaves_it_the_first(cluster: Platform, knowledge: Knowledge) -> None:
    first = recommend(application(WRITE), cluster, knowledge).recommendations[0].configuration
    kept = recommend(application(WRITE), cluster, knowledge, keep=dict(first))
    assert [one.configuration for one in kept.recommendations] == [first]


def test_what_no_configuration_has_is_refused(cluster: Platform, knowledge: Knowledge) -> None:
    with pytest.raises(InvalidInput, match=r"no configuration of .* has file_system NFS, servers 4") as told:
        recommend(application(WRITE), cluster, knowledge, keep={"file_system": "NFS", "servers": 4})
    assert "acic platform show" in told.value.hint


def test_a_value_that_is_not_listed_is_refused_with_those_that_are(cluster: Platform, knowledge: Knowledge) -> None:
    """A number between those that a platform varies ended in a traceback."""
    with pytest.raises(InvalidInput, match="has servers 3") as told:
        recommend(application(WRITE), cluster, knowledge, keep={"servers": 3})
    assert told.value.hint == f"servers is one of {cluster.space['servers'].listed}"


def test_what_is_explained_is_what_is_recommended(cluster: Platform, knowledge: Knowledge) -> None:
    keep = {"file_system": "NFS"}
    advice = recommend(application(WRITE), cluster, knowledge, keep=keep)
    found = explain(application(WRITE), cluster, knowledge, keep=keep, against=Against.RUNNER_UP)
    first, second, *_ = (one.configuration for one in advice.recommendations)
    assert (found.answer, found.other) == (first, second)
    assert all(turn.instead["file_system"] == "NFS" for one in found.dependences for turn in one.others)
    assert all(turn.regret >= 0.0 for one in found.dependences for turn in one.others)
