"""Operators under `torch.ops` that a stub's native module would have registered.

`hasattr(torch.ops.X, "op")` is true then, as with the real X: libraries ask so before they register
a fake. An operator that has a schema, of whoever defined it, is torch's own.
"""

from __future__ import annotations

import sys
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from graphaudit._target import stubs

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def cover(module: str, package: str) -> None:
    """Stand in for the operators of the namespaces that a native module may register.

    Args:
        module: A stub, by its dotted name: `vllm._C` registers under `_C`, `sgl_kernel.ops` under
            `sgl_kernel`.
        package: The stub that a call is said to be of.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return
    for name in {module.partition(".")[0], module.rpartition(".")[2]} - _torchs_own(torch):
        namespace = getattr(torch.ops, name)
        if not hasattr(type(namespace), "__stub__"):
            namespace.__class__ = _covered(type(namespace), package)


def let_registrations_dangle() -> None:
    """Let a fake or a kernel be registered for an operator that only the native module defines.

    torch raises RuntimeError then. To be called before the target is imported, since that takes
    `register_fake` out of torch before it imports the native module.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return
    library = torch.library.Library
    if not hasattr(library.impl, "__wrapped__"):
        library.impl = _lenient(library.impl)


def _lenient(impl: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(impl)
    def lenient(self: Any, op_name: Any, *rest: Any, **named: Any) -> Any:
        try:
            return impl(self, op_name, *rest, **named)
        except RuntimeError:
            namespace = getattr(sys.modules["torch"].ops, self.ns)
            name = str(op_name).rpartition("::")[2].partition(".")[0]
            if isinstance(getattr(namespace, name, None), stubs.Stub):
                return None
            raise

    return lenient


@cache
def _torchs_own(torch: ModuleType) -> frozenset[str]:
    """Give the namespaces that were there before the first stub."""
    return frozenset(vars(torch.ops)) | {"aten", "prim", "prims", "quantized"}


def _covered(kind: type, package: str) -> type:
    def __getattr__(self: Any, name: str) -> Any:  # noqa: N807 - becomes the class's own
        try:
            return kind.__getattr__(self, name)  # type: ignore[attr-defined]
        except AttributeError:
            # not kept: a schema may be defined later
            if name.startswith("__"):
                raise
            return stubs.attribute_at(package, f"{self.__name__}.{name}")

    return type(kind.__name__, (kind,), {"__getattr__": __getattr__, "__stub__": package})
