"""PettingZoo environment."""

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from intermezzo import IllegalAnswer, Ruleset
from intermezzo.pettingzoo import env


@pytest.mark.parametrize("name", Ruleset.bundled())
def test_the_environment_passes_the_api_test(name: str) -> None:
    api_test(env(name), num_cycles=150)


@pytest.mark.parametrize("name", ["orcain", "mages", "dogma"])
def test_the_same_seed_gives_the_same_match(name: str) -> None:
    ruleset = Ruleset.load(name)
    seed_test(lambda: env(ruleset), num_cycles=60)


def test_a_match_is_played_to_its_end() -> None:
    duel = env("orcain")
    duel.reset(seed=4)
    returns = dict.fromkeys(duel.agents, 0.0)
    for agent in duel.agent_iter():
        observation, reward, terminated, truncated, _ = duel.last()
        returns[agent] += reward
        assert observation is not None
        mask = observation["action_mask"]
        duel.step(None if terminated or truncated else int(np.flatnonzero(mask)[-1]))
    assert sum(returns.values()) == 0
    assert duel.agents == []


def test_a_waiting_agent_has_an_observation_but_no_actions() -> None:
    duel = env("orcain")
    duel.reset(seed=4)
    assert duel.agent_selection == "seat_0"
    waiting = duel.observe("seat_1")
    assert waiting is not None
    assert not waiting["action_mask"].any() and waiting["observation"].any()


def test_a_long_match_is_truncated() -> None:
    mages = env("mages", max_length=3)
    mages.reset(seed=1)
    for _ in range(3):
        observation = mages.observe(mages.agent_selection)
        assert observation is not None
        mages.step(int(np.flatnonzero(observation["action_mask"])[0]))
    assert all(mages.truncations.values()) and not any(mages.terminations.values())


def test_an_illegal_action_is_rejected() -> None:
    duel = env("orcain")
    duel.reset(seed=1)
    with pytest.raises(IllegalAnswer):
        duel.step(duel.action_space("seat_0").n - 1)


def test_the_view_is_rendered_as_text() -> None:
    duel = env("orcain", render_mode="ansi")
    duel.reset(seed=1)
    assert "'hp': 10" in str(duel.render())
