"""Exceptions of the package."""

from __future__ import annotations

from typing import Any


class IntermezzoError(Exception):
    """Base class of the exceptions below."""


class RulesetError(IntermezzoError, ValueError):
    """A ruleset has errors or cannot be read.

    The text lists the errors like ``intermezzo check``, with files, lines and hints. ``diagnostics`` contains them as
    data: ``code``, ``severity``, ``message``, ``file``, ``line``, ``column``, ``hints`` and more.
    """

    def __init__(self, message: str, diagnostics: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics or []


class IllegalAnswer(IntermezzoError, ValueError):
    """An answer or action was rejected. The match has not changed. ``code`` is a stable name of the reason."""

    def __init__(self, message: str, code: str = "illegal") -> None:
        super().__init__(message)
        self.code = code


class RuleFault(IntermezzoError, RuntimeError):
    """A rule of the ruleset failed. The input that caused it had no effect."""


class TooManyAnswers(IntermezzoError, ValueError):
    """A question has more legal answers than the limit. ``count`` is their number, ``None`` if they cannot be counted.

    Use the options from ``Match.questions``, or a ``Batch``, which builds answers from actions.
    """

    def __init__(self, message: str, count: int | None = None) -> None:
        super().__init__(message)
        self.count = count


class ReplayError(IntermezzoError, ValueError):
    """A saved match cannot be read, or replaying it with this ruleset gives a different match."""
