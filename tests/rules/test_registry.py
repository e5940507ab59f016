"""Dynamo's own list, read without torch; and our pages against it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from graphaudit import manual
from graphaudit._dynamo import registry
from graphaudit.cli import cli
from graphaudit.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def torch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand a folder in for the installed torch."""
    folder = tmp_path / "torch" / "_dynamo"
    folder.mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.setattr(registry, "find_spec", lambda _: _Spec([str(tmp_path / "torch")]))
    registry._entries.cache_clear()
    yield folder
    registry._entries.cache_clear()


class _Spec:
    def __init__(self, folders: list[str]) -> None:
        self.submodule_search_locations = folders


def test_entry_of_the_installed_torch() -> None:
    """The list of the torch that is installed is read."""
    found = registry.entry("GB0069")
    assert found is not None
    assert (found.gb, found.gb_type) == ("GB0069", "Import failure")
    assert found.context == "module_name: {module_name}, fromlist: {fromlist}, level={level}"
    assert registry.entry("GB0000000") is None
    assert len(registry.entries()) > 400


def test_newest_text_counts(torch_folder: Path) -> None:
    """An id with several texts gives the last; missing texts are empty."""
    old = {"Gb_type": "Old", "Context": "", "Explanation": "", "Hints": []}
    new = {"Gb_type": "New", "Context": None, "Explanation": "Why", "Hints": ["A", "B"]}
    _write(torch_folder, {"GB0001": [old, new]})
    assert registry.entries() == (
        registry.Entry(gb="GB0001", gb_type="New", context="", explanation="Why", hints=("A", "B")),
    )


@pytest.mark.parametrize(
    "content", [{"GB0001": []}, {"GB0001": [{"Type": "New"}]}, ["GB0001"], {"GB0001": None}]
)
def test_list_in_another_form_is_an_error(torch_folder: Path, content: object) -> None:
    """A list that we cannot read is named, never taken for an empty one."""
    _write(torch_folder, content)
    with pytest.raises(registry.RegistryError, match=r"graph_break_registry\.json: expected ids"):
        registry.entries()


def test_the_command_line_names_the_list(torch_folder: Path) -> None:
    """`graphaudit explain` tells it as an error of the installation, not as a bug of ours."""
    _write(torch_folder, {"GB0069": [{"Type": "New"}]})
    result = CliRunner().invoke(cli, ["explain", "GB0069"])
    assert result.exit_code == 2
    assert result.stdout == ""
    told = " ".join(result.stderr.split())
    assert told.startswith("graphaudit: error: ")
    assert "graph_break_registry.json: expected ids with Gb_type, Context, " in told
    assert told.endswith("Install torch again, or a graphaudit that knows this torch")


def test_pages_of_rules_need_no_list(torch_folder: Path) -> None:
    """Our own pages are there all the same."""
    _write(torch_folder, [])
    assert manual.page("GA001").startswith("GA001 import_in_body: ")


def test_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without torch there is no entry, and no error."""
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    registry._entries.cache_clear()
    assert registry.entry("GB0069") is None
    assert registry.entries() == ()
    registry._entries.cache_clear()


def test_torch_without_a_list(torch_folder: Path) -> None:
    """A torch that ships no list has no entries."""
    assert torch_folder.is_dir()
    assert registry.entries() == ()


def test_our_pages_quote_the_list_rightly() -> None:
    """The types that our pages name are Dynamo's, for the ids that it still has."""
    wrong = [
        (rule.id, gb, gb_type)
        for rule in all_rules()
        for gb, gb_type in rule.covers
        if gb_type and (known := registry.entry(gb)) and known.gb_type.strip() != gb_type
    ]
    # The list of torch 2.13 holds the name of a variable instead of the type of GB0170.
    assert {gb for _, gb, _ in wrong} <= {"GB0170"}


def _write(folder: Path, content: object) -> None:
    (folder / "graph_break_registry.json").write_text(json.dumps(content), encoding="utf-8")
