"""Batches of matches."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from intermezzo import Batch, IllegalAnswer, Ruleset, sections, split

Flags = npt.NDArray[np.bool_]


def choose(masks: Flags, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Picks a random legal action for every match."""
    return np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)


@pytest.mark.parametrize("name", Ruleset.bundled())
def test_every_bundled_ruleset_can_be_stepped(name: str) -> None:
    batch = Batch(Ruleset.load(name), 8, seed=1)
    size, width = batch.encoding.observation_size, batch.encoding.max_actions
    rng = np.random.default_rng(1)
    _, masks, _ = batch.reset()
    for _ in range(60):
        observations, masks, rewards, dones, to_move = batch.step(choose(masks, rng))
        assert (observations.shape, observations.dtype) == ((8, size), np.float32)
        assert (masks.shape, masks.dtype) == ((8, width), np.bool_)
        assert (rewards.shape, rewards.dtype) == ((8, batch.seats), np.float32)
        assert (dones.shape, dones.dtype) == ((8,), np.bool_)
        assert (to_move.shape, to_move.dtype) == ((8,), np.int64)
        assert masks.any(axis=1).all() and np.isfinite(observations).all()
        moves = split(batch.encoding, observations)["moves"]
        assert (moves[..., 0] == masks).all(), "the observation also contains the mask"


def test_the_same_seed_gives_the_same_matches() -> None:
    def record(seed: int, threads: int) -> list[npt.NDArray[np.float32]]:
        batch = Batch(Ruleset.load("mages"), 6, seed=seed, threads=threads)
        rng = np.random.default_rng(7)
        observations, masks, _ = batch.reset()
        seen = [observations]
        for _ in range(50):
            observations, masks, *_ = batch.step(choose(masks, rng))
            seen.append(observations)
        return seen

    assert np.array_equal(record(1, 1), record(1, 2))
    assert not np.array_equal(record(1, 1), record(2, 1))


def test_finished_matches_give_rewards_and_restart() -> None:
    batch = Batch(Ruleset.load("orcain"), 16, seed=1)
    rng = np.random.default_rng(1)
    _, masks, _ = batch.reset()
    ends = won = 0
    for _ in range(200):
        _, masks, rewards, dones, to_move = batch.step(choose(masks, rng))
        assert (rewards[~dones] == 0).all() and (rewards.sum(axis=1) == 0).all()
        assert (to_move >= 0).all()
        ends, won = ends + int(dones.sum()), won + int((rewards == 1).sum())
    assert 0 < won <= ends


def test_without_auto_reset_a_finished_match_stays_finished() -> None:
    batch = Batch(Ruleset.load("orcain"), 4, seed=1, auto_reset=False)
    rng = np.random.default_rng(1)
    _, masks, to_move = batch.reset()
    for _ in range(300):
        _, masks, rewards, dones, to_move = batch.step(choose(masks, rng))
    assert dones.all() and (to_move == -1).all() and not masks.any() and not rewards.any()
    _, masks, to_move = batch.reset()
    assert (to_move == 0).all() and masks.any(axis=1).all()


def test_an_illegal_action_is_rejected_and_no_match_advances() -> None:
    batch = Batch(Ruleset.load("orcain"), 2, seed=1)
    before, masks, _ = batch.reset()
    with pytest.raises(IllegalAnswer, match="match 1"):
        batch.step(np.array([2, batch.encoding.max_actions - 1]))
    with pytest.raises(IllegalAnswer, match="one per match"):
        batch.step(np.array([2]))
    assert np.array_equal(batch.look()[0], before)


def test_a_long_match_is_truncated() -> None:
    batch = Batch(Ruleset.load("mages"), 2, seed=1, max_length=5)
    rng = np.random.default_rng(1)
    _, masks, _ = batch.reset()
    for _ in range(5):
        assert not batch.truncated.any()
        _, masks, rewards, dones, _ = batch.step(choose(masks, rng))
    assert dones.all() and batch.truncated.all() and not rewards.any()


def test_the_opponent_does_not_see_a_secret_answer() -> None:
    batch = Batch(Ruleset.load("orcain"), 2, seed=1, auto_reset=False)
    _, masks, to_move = batch.reset()
    # Seat 0 lays out cards in the first match and none in the second.
    while (to_move == 0).all():
        _, masks, _, _, to_move = batch.step(np.array([int(np.flatnonzero(masks[0])[-1]), 0]))
    assert (to_move == 1).all()
    first, second = (batch.observe(index, 1)[0] for index in range(2))
    assert np.array_equal(first, second)
    assert batch.view(0, 1) == batch.view(1, 1)


def test_columns_describe_the_numbers() -> None:
    mages = Ruleset.load("mages")
    batch = Batch(mages, 1, seed=1)
    observations, _, to_move = batch.reset()
    encoding = batch.encoding
    parts = split(encoding, observations[0])
    players, entities = sections(encoding)["players"], sections(encoding)["entities"]
    seat = int(to_move[0])
    view = batch.view(0, seat)
    life = parts["players"][:, players.column("life")]
    assert life.tolist() == [view["players"][other]["props"]["life"] for other in (seat, 1 - seat)]
    hand = [item["def"] for item in view["players"][seat]["zones"]["hand"]["items"]]
    rows = parts["entities"]
    in_hand = rows[rows[:, entities.column("in hand")] == 1]
    defs = encoding.names("def")
    assert defs is not None
    assert [defs[int(row[entities.column("def")])] for row in in_hand] == hand
    with pytest.raises(KeyError, match="no column 'mana pool'"):
        players.column("mana pool")


def test_a_small_number_of_actions_is_enough_for_any_question() -> None:
    batch = Batch(Ruleset.load("skirmish"), 4, seed=1, max_actions=6, max_entities=2)
    rng = np.random.default_rng(1)
    observations, masks, _ = batch.reset()
    for _ in range(200):
        observations, masks, *_ = batch.step(choose(masks, rng))
    situation = split(batch.encoding, observations)["situation"]
    assert (situation[:, 0, 0] > 0).all(), "entities without a row are counted"
    with pytest.raises(ValueError, match="max_actions"):
        Batch(Ruleset.load("skirmish"), 4, max_actions=3)


def test_bots_play_seats() -> None:
    batch = Batch(Ruleset.load("skirmish"), 2, seed=1, bots={1: "random"})
    rng = np.random.default_rng(1)
    _, masks, to_move = batch.reset()
    for _ in range(100):
        assert (to_move == 0).all()
        _, masks, _, _, to_move = batch.step(choose(masks, rng))
    with pytest.raises(ValueError, match="unknown bot"):
        Batch(Ruleset.load("orcain"), 1, bots={1: "deep"})
    with pytest.raises(ValueError, match="leave one"):
        Batch(Ruleset.load("orcain"), 1, bots={0: "random", 1: "random"})


def test_batches_of_one_ruleset_can_share_an_encoding() -> None:
    duel = Ruleset.load("orcain")
    encoding = duel.encoding(max_actions=12, max_entities=6)
    short = Batch(duel, 2, options={"rounds": 1}, encoding=encoding)
    assert short.reset()[0].shape == (2, encoding.observation_size)
    with pytest.raises(ValueError, match="another ruleset"):
        Batch(Ruleset.load("mages"), 2, encoding=encoding)


# Picking 0 makes a rule fail.
FRAGILE = """
ir: 1
ruleset: {id: fragile, version: 1.0.0, name: Fragile, uses: [core@1]}
players: {seats: 1}
outcomes: [done]
flow:
  - choose: divisor
    by: players.first
    from: "[1, 0]"
    title: By what?
  - if: 1 / divisor == 1
    then: [{end: done, winners: players}]
"""


def test_a_rule_fault_in_one_match_keeps_the_steps_and_rewards_of_the_others() -> None:
    batch = Batch(Ruleset.from_files({"fragile.yaml": FRAGILE}), 3, auto_reset=False)
    batch.reset()
    _, masks, rewards, dones, to_move = batch.step(np.array([2, 3, 2]))
    assert rewards[:, 0].tolist() == [1, 0, 1] and dones.all() and to_move.tolist() == [-1, -1, -1]
    assert batch.truncated.tolist() == [False, True, False]
    assert list(batch.faults) == [1] and "division" in batch.faults[1] and str(batch.seed_of(1)) in batch.faults[1]
    assert not masks.any()
    batch.step(np.array([0, 0, 0]))
    assert batch.faults == {}


def test_with_auto_reset_a_match_with_a_rule_fault_is_replaced() -> None:
    batch = Batch(Ruleset.from_files({"fragile.yaml": FRAGILE}), 2)
    batch.reset()
    _, masks, rewards, dones, to_move = batch.step(np.array([3, 2]))
    assert rewards[:, 0].tolist() == [0, 1] and dones.all() and to_move.tolist() == [0, 0]
    assert masks[:, 2:4].all() and list(batch.faults) == [0]


def test_a_match_of_a_batch_can_be_started_alone() -> None:
    mages = Ruleset.load("mages")
    batch = Batch(mages, 3, seed=5)
    batch.reset()

    def hands(view: dict[str, Any]) -> list[str]:
        return [card["def"] for player in view["players"] for card in player["zones"]["hand"].get("items", [])]

    for index in range(3):
        alone = mages.match(seed=batch.seed_of(index))
        assert hands(batch.view(index, 1)) == hands(alone.view(1)) != []
    with pytest.raises(ValueError, match="no match 3"):
        batch.seed_of(3)


def test_an_unknown_match_or_seat_is_reported() -> None:
    batch = Batch(Ruleset.load("orcain"), 2, seed=1)
    batch.reset()
    for read in (batch.observe, batch.view):
        with pytest.raises(ValueError, match="no match 2: the batch has 2 matches"):
            read(2, 0)
        with pytest.raises(ValueError, match="no seat 5: the match has 2 seats"):
            read(0, 5)
