"""Examples of the documentation, the benchmark, and the type stubs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIG = str(ROOT / "python" / "pyproject.toml")
REFERENCE = ROOT / "docs" / "reference" / "python.md"
PAGES = [REFERENCE, ROOT / "docs" / "how-to" / "train-a-bot.md"]


def examples(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    ("page", "example"),
    [
        pytest.param(page, example, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, example in enumerate(examples(page), start=1)
    ],
)
def test_the_examples_run(page: Path, example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(example, str(page), "exec"), {"__name__": "example"})


@pytest.mark.parametrize(("page", "least"), [(PAGES[0], 4), (PAGES[1], 1)])
def test_the_pages_contain_examples(page: Path, least: int) -> None:
    assert len(examples(page)) >= least


def test_the_reference_names_the_public_api() -> None:
    import intermezzo

    text = REFERENCE.read_text(encoding="utf-8")
    undocumented = [name for name in intermezzo.__all__ if not re.search(rf"\b{name}\b", text)]
    assert undocumented == []
    for owner in (intermezzo.Ruleset, intermezzo.Match, intermezzo.Bot, intermezzo.Batch, intermezzo.Encoding):
        public = [name for name in vars(owner) if not name.startswith("_")]
        undocumented = [f"{owner.__name__}.{name}" for name in public if not re.search(rf"\b{name}\b", text)]
        assert undocumented == []


def test_the_benchmark_prints_its_results() -> None:
    command = [sys.executable, "-m", "intermezzo.bench", "orcain", "--seconds", "0.1", "--matches", "8"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.search(r"^[\d,]+ actions/s", printed, re.MULTILINE)


@pytest.mark.parametrize(
    "arguments",
    [["mypy", "--config-file", CONFIG, "-p", "intermezzo"], ["mypy.stubtest", "intermezzo._native"]],
    ids=["mypy", "stubtest"],
)
def test_the_type_stubs_match_the_module(arguments: list[str], tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
