"""One match, answer by answer."""

import copy
import random

import pytest

from intermezzo import Bot, IllegalAnswer, Match, ReplayError, Ruleset, TooManyAnswers


def play(game: Match, seed: int = 0, answers: int = 10_000) -> Match:
    """Plays by chance, to the end or so many answers far."""
    chance = random.Random(seed)
    for _ in range(answers):
        if game.over:
            break
        seat = game.to_answer[0]
        game.answer(seat, chance.choice(game.legal(seat, limit=100_000)))
    return game


def test_a_duel_is_played_to_its_end() -> None:
    game = play(Ruleset.load("orcain").match(seed=3))
    assert game.result is not None
    assert sorted(game.result["winners"] + game.result["losers"]) in ([], [0, 1])
    assert game.to_answer == [] and game.legal(0) == []


def test_a_seat_sees_its_own_cards_and_not_the_others() -> None:
    game = Ruleset.load("orcain").match()
    own, other = game.view(0)["players"]
    assert len(own["zones"]["hand"]["items"]) == 4
    assert "items" not in other["zones"]["hand"] and other["zones"]["hand"]["count"] == 4
    assert all("items" not in player["zones"]["hand"] for player in game.view()["players"])


def test_nobody_is_told_of_a_secret_answer() -> None:
    game = Ruleset.load("orcain").match()
    before = (game.view(1), game.questions(1), game.log(1))
    game.answer(0, game.legal(0)[-1])
    assert (game.view(1), game.questions(1), game.log(1)) == before
    assert game.to_answer == [1]


def test_answers_are_written_as_plain_data_too() -> None:
    game = Ruleset.load("orcain").match()
    question = game.questions(0)[0]
    first = question["options"][0]
    assert question["title"] == "Lay out your three cards"
    game.answer(0, [first["value"], None, None])
    for answer in game.legal(1)[:1]:
        game.answer(1, answer.data)
    assert [event["event"] for event in game.log(0)].count("StepRevealed") == 3


def test_an_illegal_answer_changes_nothing() -> None:
    game = Ruleset.load("orcain").match()
    before = game.save()
    with pytest.raises(IllegalAnswer) as caught:
        game.answer(0, ["attack"])
    assert caught.value.code == "wrong_count"
    with pytest.raises(IllegalAnswer):
        game.answer(0, ["fireball", None, None])
    with pytest.raises(ValueError, match="no seat 2"):
        game.view(2)
    assert game.save() == before


def test_a_stale_answer_is_refused() -> None:
    game = Ruleset.load("orcain").match()
    stale = game.legal(0)[0]
    game.answer(0, stale)
    with pytest.raises(IllegalAnswer):
        game.answer(0, stale)


def test_a_copy_goes_its_own_way() -> None:
    game = play(Ruleset.load("mages").match(seed=5), answers=20)
    before = game.save()
    twin = copy.deepcopy(game)
    play(twin, seed=9, answers=20)
    assert game.save() == before
    assert play(game, seed=9, answers=20).save() == twin.save()


def test_a_saved_match_is_taken_up_again() -> None:
    mages = Ruleset.load("mages")
    game = play(mages.match(seed=2), answers=40)
    again = mages.replay(game.save())
    assert again.view(0) == game.view(0) and again.log(1) == game.log(1)
    assert mages.replay(game.save(), inputs=10).save() == play(mages.match(seed=2), answers=10).save()


def test_a_saved_match_that_was_tampered_with_is_refused() -> None:
    duel = Ruleset.load("orcain")
    saved = play(duel.match(seed=2)).save()
    assert '"amount": 2' in saved or '"amount":2' in saved
    with pytest.raises(ReplayError):
        duel.replay(saved.replace('"amount": 2', '"amount": 3', 1).replace('"amount":2', '"amount":3', 1))
    with pytest.raises(ReplayError):
        Ruleset.load("mages").replay(saved)


def test_answers_that_are_too_many_are_not_listed() -> None:
    game = Ruleset.load("orcain").match()
    with pytest.raises(TooManyAnswers) as caught:
        game.legal(0, limit=10)
    assert caught.value.count == 73


def test_bots_play() -> None:
    duel = Ruleset.load("orcain")
    game = duel.match(seed=1)
    bots = [Bot(name, seed=1) for name in ("random", "mcts:20")]
    while not game.over:
        seat = game.to_answer[0]
        bots[seat].play(game, seat)
    with pytest.raises(ValueError, match="unknown bot `deep`"):
        Bot("deep")


def test_whoever_gives_up_has_lost() -> None:
    game = Ruleset.load("orcain").match()
    game.concede(0)
    assert game.result is not None and game.result["winners"] == [1]
