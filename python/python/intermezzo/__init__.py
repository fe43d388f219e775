"""Turn-based games with rules as data: play any ruleset, train on batches of matches.

Start with ``Ruleset.load``. ``Ruleset.match`` plays one match answer by answer, ``Batch`` steps many matches as NumPy
arrays, and ``intermezzo.pettingzoo.env`` is a PettingZoo environment for any ruleset.
"""

from ._native import Answer, Batch, Bot, Encoding, Match, Ruleset
from .errors import IllegalAnswer, IntermezzoError, ReplayError, RuleFault, RulesetError, TooManyAnswers
from .observations import Column, Section, sections, split

__all__ = [
    "Answer",
    "Batch",
    "Bot",
    "Column",
    "Encoding",
    "IllegalAnswer",
    "IntermezzoError",
    "Match",
    "ReplayError",
    "RuleFault",
    "Ruleset",
    "RulesetError",
    "Section",
    "TooManyAnswers",
    "sections",
    "split",
]
