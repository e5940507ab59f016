"""The pages behind `graphaudit explain`."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from graphaudit import manual
from graphaudit._dynamo import registry

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


@pytest.mark.parametrize("asked", ["GA001", "ga001", "ga1", " GA001 ", "import_in_body"])
def test_rule_page(asked: str) -> None:
    """A rule is found by its id, in any form, and by its name."""
    page = manual.page(asked)
    assert page.startswith("GA001 import_in_body: Import that fails inside compiled code.\n\nWhy: ")
    assert "\nGood:\n    try:\n        import package_that_is_missing\n" in page
    assert page.endswith("Dynamo looks through it.\n")


@pytest.mark.parametrize("asked", ["GB0069", "gb69", "Gb0069", "gb-69", "gb 69"])
def test_dynamo_page(asked: str) -> None:
    """Dynamo's id gives our rules for it, and Dynamo's own words, told apart."""
    ours, label, theirs = manual.page(asked).partition("Dynamo's own words:\n")
    assert ours.startswith("GB0069 Import failure\n\nGA001 import_in_body: Import that fails")
    assert "    Fix: Do the import once at module level" in ours
    assert label
    assert theirs.startswith("    Type: Import failure\n    Context: module_name: {module_name},")
    assert "\n    Hint: Your code may result in an error when running in eager." in theirs


def test_id_with_several_rules() -> None:
    """An id that many kinds share lists each rule for it."""
    page = manual.page("GB0007")
    assert "\nGA004 warning_call: " in page
    assert "\nGA005 clock_read: " in page
    assert "\nGA914 skipped_function: " in page


def test_names_of_variables_are_not_shown_as_texts() -> None:
    """Where Dynamo's list holds the name of a variable, our own type is shown."""
    page = manual.page("GB0170")
    assert page.startswith("GB0170 Data-dependent branching\n")
    assert "_explanation" not in page
    assert "    Context: attempted to jump with {value}\n" in page


def test_id_without_a_rule() -> None:
    """What only Dynamo knows is shown in its words."""
    page = manual.page("GB0053")
    assert page.startswith(
        "GB0053 FSDP with use_orig_params=False\n\nNo rule of ours is for this id"
    )
    assert "    Explanation: Dynamo only supports FSDP with use_orig_params=True\n" in page


@pytest.mark.usefixtures("_without_torch")
def test_dynamo_page_without_torch() -> None:
    """Our own rules are shown where torch is not installed."""
    page = manual.page("gb69")
    assert page.startswith("GB0069 Import failure\n\nGA001 import_in_body")
    assert page.endswith("torch is not installed here, or its version has no such id.\n")


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("GA998", "did you mean GA9"),
        ("GB9999", "did you mean GB"),
        ("import_in_boddy", "did you mean import_in_body"),
        ("nothing like it", "nothing like it: no such rule or break; "),
    ],
)
def test_unknown_id(asked: str, near: str) -> None:
    """What nobody knows is an error that says what was asked, what is near, and where all are."""
    with pytest.raises(manual.UnknownId) as caught:
        manual.page(asked)
    message = str(caught.value)
    assert message.startswith(f"{asked}: no such rule or break")
    assert near in message
    assert "`graphaudit explain` without an id lists all rules" in message


def test_index() -> None:
    """All rules stand one a line, in the order in which they are asked."""
    lines = manual.index().splitlines()
    assert lines[0].split(maxsplit=2) == [
        "GA001",
        "import_in_body",
        "Import that fails inside compiled code",
    ]
    assert lines[-1].startswith("GA000  unknown_break")
    assert max(map(len, lines)) <= 100


def test_nothing_heavy_is_imported() -> None:
    """The manual opens without torch, click and rich."""
    code = (
        "import sys; from graphaudit import manual; manual.page('gb69'); manual.index();"
        "print(sorted({'torch', 'click', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
