"""Imports in function bodies: only what is missing breaks, and only where it is traced."""

import functools

import torch


@functools.lru_cache(maxsize=1)
def is_musa():
    try:
        import torchada_that_is_missing  # break: GA001 resumes
    except ImportError:
        return False
    return True


def fast_path(x):
    import math  # installed: no break

    return x + math.sqrt(4)


@torch.library.custom_op("golden::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    try:
        import not_there_either  # an operator's body is not traced
    except ImportError:
        pass
    return x * 2


@double.register_fake
def _(x):
    return torch.empty_like(x)


def audit_probe():
    return (lambda x: x + 1 if is_musa() else x - 1), (torch.ones(3),)


def audit_installed():
    return fast_path, (torch.ones(3),)


def audit_operator():
    return double, (torch.ones(3),)
