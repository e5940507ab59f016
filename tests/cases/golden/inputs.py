"""Several inputs, settings of a factory, and entries of their own."""

import contextlib

import torch

SCALE = [1]
HELD = []


def by_shape(x):  # note: GA089 recompile
    y = x.sin()
    if x.shape[0] > 16:
        print("long")  # break: GA002 resumes
    return y + 1


def by_context(x):
    if HELD:
        print("held")  # break: GA002 resumes
    return x + 1


def second_time(x):
    SCALE[0] += 1  # note: GA089 recompile [torch<2.14]
    if SCALE[0] > 2:  # note: GA089 recompile [torch>=2.14]
        print("again")  # break: GA002 resumes
    return x * SCALE[0]


@contextlib.contextmanager
def holding():
    HELD.append(1)
    try:
        yield
    finally:
        HELD.pop()


def audit_by_shape():
    yield by_shape, (torch.ones(4),)
    yield by_shape, (torch.ones(32),)


def audit_by_context():
    return by_context, (torch.ones(3),)


audit_by_context.context = holding


def audit_second_time():
    SCALE[0] = 1
    return second_time, (torch.ones(3),)


audit_second_time.gate = "default"


def audit_two_callables():
    yield torch.sin, (torch.ones(3),)
    yield torch.cos, (torch.ones(3),)


def audit_many_gigabytes():
    layer = torch.nn.Linear(200_000, 200_000)
    return layer, (torch.ones(1, 200_000),)


audit_many_gigabytes.fake = True


def audit_elsewhere():
    raise RuntimeError("never called on a machine without it")


audit_elsewhere.platforms = ("mtia",)
