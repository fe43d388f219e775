"""The PettingZoo environment."""

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from intermezzo import IllegalAnswer, Ruleset
from intermezzo.pettingzoo import env


@pytest.mark.parametrize("name", Ruleset.bundled())
def test_the_environment_keeps_the_api(name: str) -> None:
    api_test(env(name), num_cycles=150)


@pytest.mark.parametrize("name", ["orcain", "mages", "dogma"])
def test_the_same_seed_gives_the_same_match(name: str) -> None:
    ruleset = Ruleset.load(name)
    seed_test(lambda: env(ruleset), num_cycles=60)


def test_a_match_is_played_to_its_end() -> None:
    duel = env("orcain")
    duel.reset(seed=4)
    earned = dict.fromkeys(duel.agents, 0.0)
    for agent in duel.agent_iter():
        observation, reward, terminated, truncated, _ = duel.last()
        earned[agent] += reward
        assert observation is not None
        mask = observation["action_mask"]
        duel.step(None if terminated or truncated else int(np.flatnonzero(mask)[-1]))
    assert sum(earned.values()) == 0
    assert duel.agents == []


def test_who_is_not_to_act_sees_but_has_no_actions() -> None:
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


def test_an_illegal_action_is_refused() -> None:
    duel = env("orcain")
    duel.reset(seed=1)
    with pytest.raises(IllegalAnswer):
        duel.step(duel.action_space("seat_0").n - 1)


def test_a_view_can_be_read() -> None:
    duel = env("orcain", render_mode="ansi")
    duel.reset(seed=1)
    assert "'hp': 10" in str(duel.render())
