"""Single matches, played answer by answer."""

import copy
import random
from pathlib import Path
from typing import Any

import pytest

from intermezzo import Bot, IllegalAnswer, Match, ReplayError, Ruleset, TooManyAnswers


def play(game: Match, seed: int = 0, answers: int = 10_000) -> Match:
    """Plays random answers, to the end or up to a number of answers."""
    rng = random.Random(seed)
    for _ in range(answers):
        if game.over:
            break
        seat = game.to_answer[0]
        game.answer(seat, rng.choice(game.legal(seat, limit=100_000)))
    return game


def test_a_match_is_played_to_its_end() -> None:
    game = play(Ruleset.load("orcain").match(seed=3))
    assert game.result is not None
    assert sorted(game.result["winners"] + game.result["losers"]) in ([], [0, 1])
    assert game.to_answer == [] and game.legal(0) == []


def test_a_seat_sees_only_its_own_cards() -> None:
    game = Ruleset.load("orcain").match()
    own, other = game.view(0)["players"]
    assert len(own["zones"]["hand"]["items"]) == 4
    assert "items" not in other["zones"]["hand"] and other["zones"]["hand"]["count"] == 4
    assert all("items" not in player["zones"]["hand"] for player in game.view()["players"])


def test_other_seats_learn_nothing_from_a_secret_answer() -> None:
    game = Ruleset.load("orcain").match()
    before = (game.view(1), game.questions(1), game.log(1))
    game.answer(0, game.legal(0)[-1])
    assert (game.view(1), game.questions(1), game.log(1)) == before
    assert game.to_answer == [1]


def test_an_answer_can_be_plain_data() -> None:
    game = Ruleset.load("orcain").match()
    question = game.questions(0)[0]
    first = question["options"][0]
    assert question["title"] == "Lay out your three cards"
    game.answer(0, [first["value"], {"n": 1}, None])
    for answer in game.legal(1)[:1]:
        game.answer(1, answer.data)
    assert [event["event"] for event in game.log(0)].count("StepRevealed") == 3


def test_an_illegal_answer_changes_nothing() -> None:
    game = Ruleset.load("orcain").match()
    before = game.save()
    with pytest.raises(IllegalAnswer) as caught:
        game.answer(0, ["attack"])
    assert caught.value.code == "wrong_count"
    for card in ("fireball", 1):
        with pytest.raises(IllegalAnswer, match=f"Selection {card} didn't exist in the choices"):
            game.answer(0, [card, None, None])
    with pytest.raises(ValueError, match="no seat 2"):
        game.view(2)
    assert game.save() == before


def test_a_stale_answer_is_rejected() -> None:
    game = Ruleset.load("orcain").match()
    stale = game.legal(0)[0]
    game.answer(0, stale)
    with pytest.raises(IllegalAnswer):
        game.answer(0, stale)


def test_a_copy_is_independent() -> None:
    game = play(Ruleset.load("mages").match(seed=5), answers=20)
    before = game.save()
    clone = copy.deepcopy(game)
    play(clone, seed=9, answers=20)
    assert game.save() == before
    assert play(game, seed=9, answers=20).save() == clone.save()


def test_a_saved_match_can_be_replayed() -> None:
    mages = Ruleset.load("mages")
    game = play(mages.match(seed=2), answers=40)
    replayed = mages.replay(game.save())
    assert replayed.view(0) == game.view(0) and replayed.log(1) == game.log(1)
    assert mages.replay(game.save(), inputs=10).save() == play(mages.match(seed=2), answers=10).save()


def test_a_modified_match_file_is_rejected() -> None:
    duel = Ruleset.load("orcain")
    saved = play(duel.match(seed=2)).save()
    assert '"amount": 2' in saved or '"amount":2' in saved
    with pytest.raises(ReplayError):
        duel.replay(saved.replace('"amount": 2', '"amount": 3', 1).replace('"amount":2', '"amount":3', 1))
    with pytest.raises(ReplayError):
        Ruleset.load("mages").replay(saved)


def test_listing_too_many_answers_raises_an_error() -> None:
    game = Ruleset.load("orcain").match()
    with pytest.raises(TooManyAnswers) as caught:
        game.legal(0, limit=10)
    assert caught.value.count == 73


def test_bots_answer_questions() -> None:
    duel = Ruleset.load("orcain")
    game = duel.match(seed=1)
    bots = [Bot(name, seed=1) for name in ("random", "mcts:20")]
    while not game.over:
        seat = game.to_answer[0]
        bots[seat].play(game, seat)
    with pytest.raises(IllegalAnswer, match="seat 0 has no open question"):
        bots[0].play(game, 0)
    with pytest.raises(ValueError, match="unknown bot `deep`"):
        Bot("deep")


def test_conceding_loses_the_match() -> None:
    game = Ruleset.load("orcain").match()
    game.concede(0)
    assert game.result is not None and game.result["winners"] == [1]


def hidden(game: Match) -> list[Any]:
    """Returns the cards in the hand of seat 1, which seat 0 cannot see."""
    return [card["def"] for card in game.view(1)["players"][1]["zones"]["hand"]["items"]]


def test_a_determinized_copy_hides_what_the_seat_cannot_see() -> None:
    game = play(Ruleset.load("mages").match(seed=4), answers=30)
    before = game.save()
    copies = [game.determinize(0, seed) for seed in range(6)]
    own = game.view(0)["players"][0]["zones"]["hand"]["items"]
    for copy in copies:
        assert [card["def"] for card in copy.view(0)["players"][0]["zones"]["hand"]["items"]] == [
            card["def"] for card in own
        ]
        assert len(hidden(copy)) == len(hidden(game)) and copy.to_answer == game.to_answer
    assert any(hidden(copy) != hidden(game) for copy in copies)
    assert hidden(game.determinize(0, 3)) == hidden(copies[3]), "the seed decides"
    assert play(copies[0]).over and game.save() == before
    with pytest.raises(ValueError, match="no seat 2"):
        game.determinize(2, 1)
    with pytest.raises(ValueError, match="cannot be replayed"):
        copies[0].save()


# Every answer rolls a die.
DICE = """
ir: 1
ruleset: {id: dice, version: 1.0.0, uses: [core@1]}
players: {seats: 1}
flow:
  - repeat: 10
    do:
      - {choose: again, by: players.first, from: "[true, false]"}
      - {roll: 1d20, as: rolled}
  - end: normal
"""


def test_reseeded_copies_have_different_futures() -> None:
    game = play(Ruleset.from_files({"dice.yaml": DICE}).match(seed=4), answers=3)

    def future(seed: int | None) -> list[Any]:
        copy = game.clone()
        if seed is not None:
            copy.reseed(seed)
        return play(copy).log()

    assert future(None) == future(None) and future(1) == future(1)
    assert len({str(future(seed)) for seed in (None, 1, 2)}) == 3
    copy = game.clone()
    copy.reseed(1)
    with pytest.raises(ValueError, match="cannot be replayed"):
        copy.save()


def test_the_seats_of_a_team_share_the_result() -> None:
    rules = Path(__file__).parents[2] / "crates/scenario/conformance/partners"
    game = play(Ruleset.load(str(rules)).match(seed=3))
    assert game.teams == [0, 1, 0, 1]
    assert game.result is not None
    assert sorted(game.result["winners"]) in ([], [0, 2], [1, 3])
    assert Ruleset.load("orcain").match().teams is None
