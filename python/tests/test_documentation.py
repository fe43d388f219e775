"""What the documentation shows works, and what the stubs say is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIG = str(ROOT / "python" / "pyproject.toml")
PAGE = ROOT / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(example, str(PAGE), "exec"), {"__name__": "example"})


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


def test_the_bench_prints_figures() -> None:
    command = [sys.executable, "-m", "intermezzo.bench", "orcain", "--seconds", "0.1", "--matches", "8"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.search(r"^[\d,]+ actions/s", printed, re.MULTILINE)


@pytest.mark.parametrize(
    "arguments",
    [["mypy", "--config-file", CONFIG, "-p", "intermezzo"], ["mypy.stubtest", "intermezzo._native"]],
    ids=["types", "stubs"],
)
def test_types_are_true(arguments: list[str], tmp_path: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
