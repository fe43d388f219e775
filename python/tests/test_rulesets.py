"""Loading of rulesets."""

from pathlib import Path

import pytest

from intermezzo import Ruleset, RulesetError

RULESETS = Path(__file__).parents[2] / "rulesets"

# Asks one player for yes or no; yes wins.
TINY = """
ir: 1
ruleset: {id: tiny, version: 1.0.0, name: Tiny, uses: [core@1]}
players: {seats: 1}
outcomes: [done]
flow:
  - choose: agreed
    by: players.first
    from: "[true, false]"
    title: Do you agree?
  - if: agreed
    then: [{end: done, winners: players}]
    else: [{end: done, losers: players}]
"""


def test_a_ruleset_is_loaded_from_a_folder_or_by_bundled_name() -> None:
    from_folder = Ruleset.load(RULESETS / "mages")
    bundled = Ruleset.load("mages")
    assert (from_folder.id, from_folder.version) == (bundled.id, bundled.version) == ("mages", "1.0.0")
    assert bundled.seats == (2, 2, 2)
    assert set(Ruleset.bundled()) == {path.name for path in RULESETS.iterdir() if path.is_dir()}


def test_a_ruleset_can_be_compiled_from_strings() -> None:
    game = Ruleset.from_files({"tiny.yaml": TINY}).match()
    assert [answer.data for answer in game.legal(0)] == [[True], [False]]
    game.answer(0, True)
    assert game.result == {"outcome": "done", "winners": [0], "losers": []}


def test_a_ruleset_error_has_a_file_and_a_line() -> None:
    with pytest.raises(RulesetError) as caught:
        Ruleset.from_files({"tiny.yaml": TINY.replace("if: agreed", "if: agred")})
    assert "agred" in str(caught.value)
    first = caught.value.diagnostics[0]
    assert (first["severity"], first["file"]) == ("error", "tiny.yaml")
    assert first["line"] > 1


def test_an_unknown_name_lists_the_bundled_rulesets() -> None:
    with pytest.raises(RulesetError, match="mages"):
        Ruleset.load("magse")


def test_options_are_checked_while_loading() -> None:
    with pytest.raises(ValueError, match="unknown option `hitpoints`"):
        Ruleset.load("orcain", options={"hitpoints": 3})
    with pytest.raises(ValueError, match="out of range"):
        Ruleset.load("orcain", options={"max_hp": 0})
    game = Ruleset.load("orcain", options={"max_hp": 4}).match()
    assert [player["props"]["hp"] for player in game.view()["players"]] == [4, 4]
