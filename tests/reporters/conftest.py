"""A report that holds one of each thing, as a file of the contract."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphaudit.reporters import _words
from graphaudit.store import decode_report

if TYPE_CHECKING:
    from graphaudit.model import Report

FILE = Path(__file__).with_name("report.json")


@pytest.fixture
def report() -> Report:
    """Give the report of `report.json`."""
    return decode_report(FILE.read_bytes(), FILE.name)


@pytest.fixture(autouse=True)
def _rule_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name the rules of the report here; GA030 stands for one that this version does not know."""
    names = {"GA001": "import_in_body", "GA004": "scalar_read", "GA010": "disabled_callee"}
    monkeypatch.setattr(_words, "_rule_names", lambda: names)
