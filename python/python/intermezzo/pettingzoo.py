"""PettingZoo environment (AEC) for any ruleset. Start with ``env``.

Agents are named ``seat_0``, ``seat_1`` and so on. If several seats are asked at once, they act one after the other in seat
order, and none learns the actions of the seats before it. The environment has no clock, so deadlines never expire.
"""

from __future__ import annotations

from collections.abc import Mapping
from pprint import pformat
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._native import Batch, Encoding, Ruleset
from .errors import RuleFault

Observation = dict[str, npt.NDArray[Any]]


def env(ruleset: Ruleset | str, **arguments: Any) -> AECEnv[str, Observation, int]:
    """Creates an environment that also reports calls in the wrong order. The arguments are those of ``raw_env``."""
    inner: AECEnv[str, Observation, int] = raw_env(ruleset, **arguments)
    return wrappers.OrderEnforcingWrapper(inner)


class raw_env(AECEnv[str, Observation, int]):
    """Environment of one match. The ruleset may be given by path or name.

    Observations are dicts of ``observation`` (float32, see ``intermezzo.sections``) and ``action_mask`` (int8). At the end of
    a match every agent gets its score as the reward; without scores winners get 1 and losers -1. A match is truncated after ``max_length`` actions.
    """

    metadata = {"name": "intermezzo_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        ruleset: Ruleset | str,
        *,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        max_actions: int | None = None,
        max_entities: int | None = None,
        max_length: int = 10_000,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.ruleset = Ruleset.load(ruleset) if isinstance(ruleset, str) else ruleset
        self.render_mode = render_mode
        self._batch = Batch(
            self.ruleset,
            1,
            seats=seats,
            options=options,
            auto_reset=False,
            max_actions=max_actions,
            max_entities=max_entities,
            max_length=max_length,
            threads=1,
        )
        self.possible_agents = [f"seat_{seat}" for seat in range(self._batch.seats)]
        self.agents: list[str] = []
        encoding = self.encoding
        self._observation_space = spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, (encoding.observation_size,), np.float32),
                "action_mask": spaces.Box(0, 1, (encoding.max_actions,), np.int8),
            }
        )
        # One per agent: a space has its own random numbers, and agents are seeded separately.
        self._action_spaces = {agent: spaces.Discrete(encoding.max_actions) for agent in self.possible_agents}

    @property
    def encoding(self) -> Encoding:
        """The layout of an observation."""
        return self._batch.encoding

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of observations, the same for all agents."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of actions of an agent. The mask in its observation says which are legal."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts another match. The same seed gives the same match."""
        _, _, to_move = self._batch.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select(int(to_move[0]))

    def observe(self, agent: str) -> Observation:
        """Returns the observation of an agent. Its mask is empty unless the agent is to act."""
        observation, mask = self._batch.observe(0, self.possible_agents.index(agent))
        if self.truncations.get(agent):
            mask[:] = False
        return {"observation": observation, "action_mask": mask.astype(np.int8)}

    def step(self, action: int | None) -> None:
        """Takes an action of the agent to act."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act, so the action cannot be None")
        _, _, rewards, dones, to_move = self._batch.step(np.array([action], dtype=np.int64))
        if 0 in self._batch.faults:
            raise RuleFault(self._batch.faults[0])
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {agent: float(rewards[0, seat]) for seat, agent in enumerate(self.possible_agents)}
        if dones[0]:
            is_truncated = bool(self._batch.truncated[0])
            self.terminations = dict.fromkeys(self.agents, not is_truncated)
            self.truncations = dict.fromkeys(self.agents, is_truncated)
        self._select(int(to_move[0]))
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Returns the view of the agent to act as text."""
        if self.render_mode != "ansi":
            return None
        return pformat(self._batch.view(0, self.possible_agents.index(self.agent_selection)), sort_dicts=False)

    def close(self) -> None:
        """Does nothing: the environment has no resources to release."""

    def _select(self, seat: int) -> None:
        self.agent_selection = self.possible_agents[max(seat, 0)]
