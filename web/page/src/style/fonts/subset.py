"""Writes the two fonts of the page, reduced to the characters that games use.

Needs fonttools and brotli from PyPI and the unpacked npm packages @fontsource-variable/figtree and @fontsource/alegreya:

    python subset.py FIGTREE_PACKAGE ALEGREYA_PACKAGE
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent
ASCII = {*range(0x20, 0x7F), 0xA0}
LATIN_1 = {0xAB, 0xB0, 0xB1, 0xBB, *range(0xC0, 0x100)}
SIGNS = {ord(sign) for sign in "·×–—‘’“”…→−"}
NAMES_AND_LICENCE = [0, 1, 2, 13, 14]


def reduced(path: Path, characters: set[int], features: list[str]) -> TTFont:
    options = Options(layout_features=features, hinting=False, name_IDs=NAMES_AND_LICENCE)
    font = TTFont(path)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    return font


def use_lining_figures(font: TTFont) -> None:
    """Makes figures as tall as capitals the default."""
    lining = {}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            lining.update(table.mapping)
    for table in font["cmap"].tables:
        table.cmap.update({code: lining[name] for code, name in table.cmap.items() if name in lining})
    del font["GSUB"]


def save(font: TTFont, name: str) -> None:
    font.flavor = "woff2"
    font.save(HERE / name)


figtree, alegreya = (Path(argument) / "files" for argument in sys.argv[1:3])
for characters, name in [(ASCII | SIGNS, "figtree.woff2"), (LATIN_1, "figtree-accents.woff2")]:
    save(reduced(figtree / "figtree-latin-wght-normal.woff2", characters, ["kern", "tnum"]), name)
title = reduced(alegreya / "alegreya-latin-800-normal.woff2", ASCII | SIGNS, ["kern", "lnum"])
use_lining_figures(title)
save(title, "alegreya-extrabold.woff2")
