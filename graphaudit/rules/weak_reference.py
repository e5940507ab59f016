"""Recognised by the module, or the class of a proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, root, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA015"


def weak_reference(found: Break) -> bool:
    """A weak proxy or a weak-valued dictionary in compiled code.

    Why: A proxy answers every attribute from C code, so Dynamo cannot see the object behind it.
        Plain `weakref.ref` objects, called to get the object, are traced.

    Fix: Keep a `weakref.ref` and call it (`ref().gain`), or hand the object itself to the compiled
        function.

    Bad:
        import weakref

        class Config:
            gain = 2.0

        config = Config()
        proxy = weakref.proxy(config)

        def f(x):
            return x * proxy.gain

    Good:
        import weakref

        class Config:
            gain = 2.0

        config = Config()
        reference = weakref.ref(config)

        def f(x):
            return x * reference().gain

    Dynamo:
        GB0252 could not find name in object's mro
        GB0007 Attempted to call function marked as skipped
        GB0272 Failed to make weakref to User Object
    """
    return (
        skips_from(found, "_weakref", "weakref")
        or in_context(found, "weakref.ProxyType", "weakref.CallableProxyType", "(KeyedRef)")
        or root(found).gb_type.startswith("Failed to make weakref")
    )
