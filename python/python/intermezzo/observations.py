"""Reading observations: which number is what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ._native import Encoding


@dataclass(frozen=True)
class Column:
    """One column of a section.

    ``flag``: 0 or 1. ``number``: a number as the rules have it. ``index``: one of ``size`` things, where 0 stands for none
    of them; ``Encoding.names`` tells what they are, for those that are not things on the table.
    """

    name: str
    meaning: Literal["flag", "number", "index"]
    size: int


@dataclass(frozen=True)
class Section:
    """A part of an observation: ``rows`` rows of equal columns from ``start`` on."""

    name: str
    start: int
    rows: int
    columns: tuple[Column, ...]

    @property
    def end(self) -> int:
        """Where the section ends."""
        return self.start + self.rows * len(self.columns)

    def column(self, name: str) -> int:
        """The place of the column with that name."""
        names = [column.name for column in self.columns]
        if name not in names:
            raise KeyError(f"section {self.name} has no column {name!r}; there are {', '.join(names)}")
        return names.index(name)


def sections(encoding: Encoding) -> dict[str, Section]:
    """The parts of an observation by name: ``situation``, ``players``, ``entities`` and ``moves``."""
    found = {}
    for name, start, rows, columns in encoding._sections():
        listed = tuple(Column(column, meaning, size) for column, meaning, size in columns)  # type: ignore[arg-type]
        found[name] = Section(name, start, rows, listed)
    return found


def split(
    encoding: Encoding, observations: npt.NDArray[np.float32]
) -> dict[str, npt.NDArray[np.float32]]:
    """Views of the parts of one observation or of many: each has the shape ``(..., rows, columns)``."""
    parts = {}
    for section in sections(encoding).values():
        part = observations[..., section.start : section.end]
        parts[section.name] = part.reshape(*observations.shape[:-1], section.rows, len(section.columns))
    return parts
