"""The JSON Schema of rulesets, read by jsonschema: a second opinion beside the compiler's own tests and ajv."""

import json
from pathlib import Path
from typing import Any

import jsonschema
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


def read(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def validator(name: str) -> Any:
    schema = json.loads((ROOT / f"docs/reference/{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_every_shipped_ruleset_is_accepted() -> None:
    folders = [*(ROOT / "rulesets").iterdir(), *(ROOT / "examples/tutorial").iterdir(), ROOT / "crates/compiler/preludes"]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.glob("*.yaml"))]
    assert len(files) > 25
    known = validator("ruleset")
    problems = [f"{file}: {error.message}" for file in files for error in known.iter_errors(read(file.read_text()))]
    assert problems == []


def test_every_shipped_scenario_file_is_accepted() -> None:
    known = validator("scenario")
    files = sorted((ROOT / "rulesets").glob("*/scenarios/*.yaml"))
    assert len(files) > 10
    problems = [f"{file}: {error.message}" for file in files for error in known.iter_errors(read(file.read_text()))]
    assert problems == []


def test_planted_mistakes_are_rejected() -> None:
    known = validator("ruleset")
    for pair in json.loads((ROOT / "crates/compiler/tests/schema-mistakes.json").read_text()):
        assert known.is_valid(read(pair["right"])), pair["right"]
        assert not known.is_valid(read(pair["wrong"])), pair["wrong"]
