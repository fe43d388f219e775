"""Sections and columns of observations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ._native import Encoding


@dataclass(frozen=True)
class Column:
    """One column of a section.

    ``flag``: 0 or 1. ``number``: a number of the rules, unscaled. ``index``: one of ``size`` things, 0 for none or unknown.
    ``Encoding.names`` lists the things, unless they are players or entities.
    """

    name: str
    meaning: Literal["flag", "number", "index"]
    size: int


@dataclass(frozen=True)
class Section:
    """A section of an observation: ``rows`` rows of equal columns, starting at ``start``."""

    name: str
    start: int
    rows: int
    columns: tuple[Column, ...]

    @property
    def end(self) -> int:
        """The end of the section in the observation."""
        return self.start + self.rows * len(self.columns)

    def column(self, name: str) -> int:
        """Returns the position of a column in a row."""
        names = [column.name for column in self.columns]
        if name not in names:
            raise KeyError(f"section {self.name} has no column {name!r}; its columns are {', '.join(names)}")
        return names.index(name)


def sections(encoding: Encoding) -> dict[str, Section]:
    """Returns the sections of an observation by name: ``situation``, ``players``, ``entities`` and ``moves``."""
    by_name = {}
    for name, start, rows, columns in encoding._sections():
        section_columns = tuple(Column(column, meaning, size) for column, meaning, size in columns)  # type: ignore[arg-type]
        by_name[name] = Section(name, start, rows, section_columns)
    return by_name


def split(
    encoding: Encoding, observations: npt.NDArray[np.float32]
) -> dict[str, npt.NDArray[np.float32]]:
    """Returns views of the sections of one or more observations, each of shape ``(..., rows, columns)``."""
    parts = {}
    for section in sections(encoding).values():
        part = observations[..., section.start : section.end]
        parts[section.name] = part.reshape(*observations.shape[:-1], section.rows, len(section.columns))
    return parts
