"""What a real step may change: told to it before, read back after it.

Without this the branches behind a step are wrong: the step must see what the trace has written so
far, and the trace must see what the step wrote.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._dynamo import variables
from torch._dynamo.variables import (
    ConstantVariable,
    ConstDictVariable,
    LazyVariableTracker,
    ListVariable,
    TensorVariable,
    UserDefinedObjectVariable,
)
from torch._dynamo.variables.lists import DequeVariable

from graphaudit._dynamo.see_through import transforms
from graphaudit._dynamo.see_through.originals import CONTAINERS, copied, differ
from graphaudit._dynamo.see_through.real_objects import write_globals
from graphaudit._dynamo.see_through.signals import CannotGoOn, translators

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphaudit._dynamo.see_through.world import World


# torch 2.11 has it in another module
SetVariable: Final[Any] = vars(variables)["SetVariable"]
_CONTAINERS: Final = (ListVariable, DequeVariable, ConstDictVariable, SetVariable)


@dataclass(frozen=True, slots=True)
class Copy:
    """A list, a dictionary or the attributes of an object as they were before a step."""

    vt: Any
    container: Any
    content: Any

    def is_changed(self) -> bool:
        """Tell whether it has other items now."""
        return differ(self.container, self.content)


def before(world: World, tx: Any) -> list[Copy]:
    """Make the trace's state real: pending writes are done, constants stay as they were read.

    Returns:
        Copies of the lists, dictionaries and attributes that the step may change.
    """
    for value, _ in world.values.memo.values():
        world.values.originals.keep_iterator(value)
    _write_pending(world)
    world.values.cells.before_step()
    _pin_constants(tx)
    side = world.output.side_effects
    for source, vt in _cached(world.output):
        if isinstance(vt, _CONTAINERS) and not side.is_modified(vt):
            with suppress(Exception):  # the source may be gone by now
                own = world.output.resolve_source_value(source)
                world.values.memo.setdefault(id(vt), (own, vt))
    return list(_copies(world))


def after(world: World, tx: Any, copies: list[Copy]) -> None:
    """Tell the trace what the step has changed in objects that the trace knows."""
    for copy in copies:
        if copy.is_changed():
            _reread(world, tx, copy)
            if copy.vt.source is not None and isinstance(copy.container, CONTAINERS):
                world.values.originals.keep(copy.container, copy.content)
    _forget_changed(world.output)
    _tell_gradients(world)
    for write in world.values.written:
        now = write.now()
        if now is not write.value:
            world.output.side_effects.store_attr(write.vt, write.name, world.wrap(tx, now))
    world.values.written.clear()
    world.values.cells.after_step(lambda value: world.wrap(tx, value))


def _tell_gradients(world: World) -> None:
    """Let tensors of the trace require a gradient where a step made their real ones do so.

    Inside of a function transform no step can.
    """
    if transforms.depth():
        return
    for value, vt in world.values.memo.values():
        if type(vt) is TensorVariable and isinstance(value, torch.Tensor):
            fake = vt.proxy.node.meta.get("example_value")
            if not isinstance(fake, torch.Tensor) or fake.requires_grad == value.requires_grad:
                continue
            if value.is_leaf and fake.is_leaf:
                fake.requires_grad_(value.requires_grad)
                vt.requires_grad = value.requires_grad


def _copies(world: World) -> Iterator[Copy]:
    for value, vt in world.values.memo.values():
        inner = getattr(vt, "_base_vt", None) or vt  # of an instance of a subclass
        if isinstance(inner, _CONTAINERS) and isinstance(value, CONTAINERS):
            yield Copy(inner, value, copied(value))
        attributes = getattr(value, "__dict__", None)
        if isinstance(vt, UserDefinedObjectVariable) and vt.source and type(attributes) is dict:
            yield Copy(vt, attributes, attributes.copy())


def _write_pending(world: World) -> None:
    side = world.output.side_effects
    modified = [vt for vt in side.id_to_variable.values() if side.is_modified(vt)]
    for vt in [*side.store_attr_mutations, *modified]:
        with suppress(CannotGoOn):
            if type(vt).__name__ == "NewGlobalVariable":
                write_globals(world.values, vt, world.output.global_scope)
            elif type(vt).__name__ == "PythonModuleVariable":
                write_globals(world.values, vt, vars(vt.value))
            elif vt.source and isinstance(vt, (UserDefinedObjectVariable, *_CONTAINERS)):
                world.real(vt)


def _pin_constants(tx: Any) -> None:
    """Constants that are not looked at yet would be read after the step."""
    for one in translators(tx):
        one.stack[:] = map(_pinned, one.stack)
        one.symbolic_locals.update({name: _pinned(v) for name, v in one.symbolic_locals.items()})


def _pinned(vt: Any) -> Any:
    if type(vt).__name__ != "LazyConstantVariable":
        return vt
    cache = vt._cache
    return cache.vt or ConstantVariable.create(cache.value)


def _reread(world: World, tx: Any, copy: Copy) -> None:
    vt = copy.vt
    if hasattr(vt, "items") and isinstance(vt.items, list):
        vt.items[:] = [world.wrap(tx, value) for value in copy.container]
    elif isinstance(vt, ConstDictVariable):
        vt.call_method(tx, "clear", [], {})
        for key, value in copy.container.items():
            vt.call_method(tx, "__setitem__", [world.wrap(tx, key), world.wrap(tx, value)], {})
    elif isinstance(vt, SetVariable):
        vt.call_method(tx, "clear", [], {})
        for value in copy.container:
            vt.call_method(tx, "add", [world.wrap(tx, value)], {})


def _forget_changed(output: Any) -> None:
    for source, vt in _cached(output):
        if isinstance(vt, ConstantVariable):
            with suppress(Exception):  # the source may be gone by now
                now = output.resolve_source_value(source)
                if type(now) is not type(vt.value) or now != vt.value:
                    del output.variable_tracker_cache[source]
    for vt in output.side_effects.id_to_variable.values():
        if isinstance(vt, UserDefinedObjectVariable):
            vt._looked_up_attrs.clear()


def _cached(output: Any) -> Iterator[tuple[Any, Any]]:
    for source, vt in list(output.variable_tracker_cache.items()):
        yield source, vt._cache.vt if isinstance(vt, LazyVariableTracker) else vt
