"""Calls that make another graph: notes, until a function has too many of them."""

import torch


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # note: GA089 recompile
        return x.sin()


class Buffered(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.calls.add_(1)
        return x.sin()


def by_size(x):  # note: GA089 recompile
    return x + 1


def by_number(x, scale):
    return x * scale  # note: GA089 recompile


def by_tensor(x, scale):
    return x * scale


def by_name(x, name):
    # note what comes at the limit: the function is left to eager
    return x * len(name)  # break: GA087 recompile_limit  # note: GA089 recompile


def audit_counter():
    return Counter(), (torch.ones(3),)


def audit_buffered():
    model = Buffered()
    yield model, (torch.ones(3),)
    yield model, (torch.ones(3),)


def audit_by_size():
    for size in (3, 4, 5, 6):
        yield by_size, (torch.ones(size),)


def audit_by_number():
    for scale in (1.5, 2.5, 3.5):
        yield by_number, (torch.ones(3), scale)


def audit_by_tensor():
    for scale in (1.5, 2.5, 3.5):
        yield by_tensor, (torch.ones(3), torch.tensor(scale))


def audit_by_name():
    for length in range(10):
        yield by_name, (torch.ones(3), "x" * length)


audit_counter.gate = "default"
audit_buffered.gate = "default"
audit_by_size.gate = "default"
audit_by_number.gate = "default"
audit_by_tensor.gate = "default"
audit_by_name.gate = "default"
