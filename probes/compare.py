"""Pairs for `graphaudit compare probes/`: each question as engines ask it, and its safe form."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest.mock import patch

import torch

from probes import eager, patterns, safe

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

Pair: TypeAlias = "tuple[Callable[[], bool], Callable[[], bool], tuple[()]]"


def compare_is_musa() -> Pair:
    """An import in the body, and a constant."""
    return eager.is_musa, safe.is_musa, ()


def compare_is_hip() -> Pair:
    """An attribute behind a cache, and a constant."""
    return eager.is_hip, safe.is_hip, ()


def compare_is_npu() -> Pair:
    """A plug-in that registers itself, and a constant."""
    return eager.is_npu, safe.is_npu, ()


def compare_find_spec() -> Pair:
    """A search for a package."""
    return _against_now(patterns.torchada_is_installed)


def compare_sys_modules() -> Pair:
    """A look whether a package is imported."""
    return _against_now(patterns.torchada_is_imported)


def compare_environment() -> Pair:
    """An environment variable."""
    return _against_now(patterns.wants_cpu_engine)


def compare_attribute_value() -> Pair:
    """The value of an attribute of a module."""
    return _against_now(patterns.is_rocm_build)


def compare_new_attribute() -> Pair:
    """Whether a module has an attribute."""
    return _against_now(patterns.has_npu)


def compare_import() -> Pair:
    """An import in the body."""
    return _against_now(patterns.imports_torchada)


def compare_version_first() -> Pair:
    """An import that is reached on one platform only."""
    return _against_now(patterns.is_musa_by_version)


def compare_cached_partial() -> Pair:
    """A partial behind a cache."""
    return _against_now(patterns.is_blackwell)


def compare_constant_result() -> Pair:
    """An answer that Dynamo is told to take for a constant."""
    return _against_now(patterns.assumes_torchada)


def compare_constant() -> Pair:
    """A constant of a module."""
    return _against_now(patterns.is_verbose)


def compare_cached_constant() -> Pair:
    """A constant of a module behind a cache."""
    return _against_now(patterns.is_verbose_cached)


def _against_now(probe: Callable[[], bool]) -> Pair:
    return probe, patterns.asked_now(probe), ()


def _torchada_appears() -> AbstractContextManager[Any]:
    module = ModuleType("torchada")
    module.__spec__ = ModuleSpec("torchada", None)
    return patch.dict(sys.modules, torchada=module)


def _npu_appears() -> AbstractContextManager[Any]:
    return patch.object(torch, "npu", getattr(torch, "npu", ModuleType("npu")), create=True)


def _hip_is_set() -> AbstractContextManager[Any]:
    return patch.object(torch.version, "hip", "0.0" if torch.version.hip is None else None)


def _verbose() -> AbstractContextManager[Any]:
    return patch.object(patterns, "VERBOSE", True)


def _use_cpu_engine() -> AbstractContextManager[Any]:
    return patch.dict(os.environ, USE_CPU_ENGINE="1")


for _pair in (
    compare_is_musa,
    compare_find_spec,
    compare_sys_modules,
    compare_import,
    compare_version_first,
    compare_constant_result,
):
    _pair.packages = ("torchada",)  # type: ignore[attr-defined]
    _pair.changes = {"torchada appears": _torchada_appears}  # type: ignore[attr-defined]

for _pair in (compare_is_hip, compare_attribute_value):
    _pair.changes = {"torch.version.hip changes": _hip_is_set}  # type: ignore[attr-defined]

for _pair in (compare_is_npu, compare_new_attribute):
    _pair.changes = {"torch.npu appears": _npu_appears}  # type: ignore[attr-defined]

for _pair in (compare_constant, compare_cached_constant):
    _pair.changes = {"VERBOSE is set": _verbose}  # type: ignore[attr-defined]

compare_environment.changes = {"USE_CPU_ENGINE=1": _use_cpu_engine}  # type: ignore[attr-defined]
