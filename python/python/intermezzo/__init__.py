"""Turn-based games whose rules are data: play any ruleset, learn from many matches at once.

Start with ``Ruleset.load``: ``Ruleset.match`` plays one match answer by answer, ``Batch`` steps many as arrays, and
``intermezzo.pettingzoo.env`` is a PettingZoo environment of any ruleset.
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
