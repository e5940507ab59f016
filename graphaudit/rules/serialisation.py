"""Recognised by the C modules behind json, pickle, hashlib and their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA016"


def serialisation(found: Break) -> bool:
    """Data is encoded, decoded or hashed inside compiled code.

    Why: `{callee}` is C code that works on bytes and strings, not on tensors.

    Fix: Encode or hash outside the compiled function and pass the result in; keys of a cache
        belong to the caller.

    Bad:
        import json

        def f(x):
            return x * json.loads("[2]")[0]

    Good:
        import json

        SCALE = json.loads("[2]")[0]

        def f(x):
            return x * SCALE

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0156 Unsupported method call
    """
    return skips_from(
        found,
        "json",
        "_json",
        "pickle",
        "_pickle",
        "marshal",
        "hashlib",
        "_hashlib",
        "base64",
        "binascii",
        "zlib",
        "uuid",
    ) or in_context(found, "'_json.", "(Scanner)", "(Struct)", "(HASH)")
