"""What can go wrong."""

from __future__ import annotations

from typing import Any


class IntermezzoError(Exception):
    """Everything this package raises itself is one of these."""


class RulesetError(IntermezzoError, ValueError):
    """A ruleset has errors, or there is none.

    The text shows them as the checker does, with file, line and hints; ``diagnostics`` has them as data: ``code``,
    ``severity``, ``message``, ``file``, ``line``, ``column``, ``hints`` and more.
    """

    def __init__(self, message: str, diagnostics: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics or []


class IllegalAnswer(IntermezzoError, ValueError):
    """An answer or action was refused; the match is as it was. ``code`` is a stable name of the reason."""

    def __init__(self, message: str, code: str = "illegal") -> None:
        super().__init__(message)
        self.code = code


class RuleFault(IntermezzoError, RuntimeError):
    """A rule of the ruleset failed while it ran; the input that set it off had no effect."""


class TooManyAnswers(IntermezzoError, ValueError):
    """A question has more legal answers than were to be listed. ``count`` says how many; none if nobody can count them.

    Ask ``Match.questions`` what there is to pick from, or put the answer together of actions, as batches do.
    """

    def __init__(self, message: str, count: int | None = None) -> None:
        super().__init__(message)
        self.count = count


class ReplayError(IntermezzoError, ValueError):
    """A saved match cannot be read, or is not what these rules make of it."""
