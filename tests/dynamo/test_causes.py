"""Reading Dynamo's messages, the ones that it really makes."""

from __future__ import annotations

import pytest
from torch._dynamo import exc

from graphaudit._dynamo import causes
from graphaudit.model import Cause


def message(gb_type: str) -> str:
    """Let Dynamo format a break."""
    return exc.format_graph_break_message(
        gb_type, "module_name: torchada", "Failure when\nimporting.", ["Do this.", "Or that."]
    )


def test_gb_ids_come_from_dynamo() -> None:
    """A canary: the ids that rules and expectations name."""
    assert causes.gb_id("Import failure") == "GB0069"
    assert causes.gb_id("Data-dependent branching") == "GB0170"
    assert causes.gb_id("no such type") is None


def test_a_message_is_parsed_where_its_fields_were_not_seen() -> None:
    """The fall-back for a torch without the hook."""
    (cause,) = causes.chain(message("Import failure"), {})

    assert cause == Cause(
        gb="GB0069",
        gb_type="Import failure",
        context="module_name: torchada",
        explanation="Failure when importing.",
        hints=("Do this.", "Or that."),
    )


def test_fields_that_were_seen_are_taken() -> None:
    """They are what Dynamo was given, not what it printed."""
    seen = Cause(gb="GB0069", gb_type="Import failure", explanation="Failure when\nimporting.")
    text = message("Import failure")

    assert causes.chain(text, {text: seen}) == (seen,)


def test_a_chain_is_split_root_first() -> None:
    """A loop around a break hides the break."""
    text = f"{message('Import failure')}\n\n{causes.MARKER}\n\n{message('graph break in loop')}"

    assert [cause.gb for cause in causes.chain(text, {})] == ["GB0069", "GB7000"]


def test_the_marker_is_dynamos() -> None:
    """A canary: the line between two causes."""
    first = exc.Unsupported(message("Import failure"))
    with pytest.raises(exc.Unsupported) as caught:
        exc.unimplemented(
            gb_type="graph break in loop", context="", explanation="", hints=[], from_exc=first
        )

    assert causes.MARKER in caught.value.msg


def test_another_exception_is_named_by_its_type() -> None:
    """Dynamo's stack in the text is not part of the reason."""
    error = ValueError("bad shape\n\nfrom user code:\n  File ...")

    assert causes.of_exception(error) == Cause(
        gb=None, gb_type="ValueError", explanation="bad shape"
    )
