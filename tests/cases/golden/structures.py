"""What the statement around a break does to the rest of the function."""

import contextlib

import torch


class Flag:
    def __enter__(self):
        pass

    def __exit__(self, *exc):
        pass


def in_loop(x):
    for _ in range(2):
        x = x + 1
        print("loop")  # break: GA002 frame_dropped
    return x


def in_try(x):
    x = x + 1
    x = x * 2
    try:
        print("try")  # break: GA002 rest_eager
    finally:
        x = x - 1
    return x


def in_with(x):
    with Flag():
        x = x + 1
        print("with")  # break: GA002 frame_dropped
    return x


def in_no_grad(x):
    with torch.no_grad():
        x = x + 1
        print("no grad")  # break: GA002 resumes
    return x


def in_helper(x):
    note(x)
    return x + 1


def note(x):
    print("helper")  # break: GA002 resumes


def in_comprehension(x):
    return [noted(x * i) for i in range(2)]


def noted(x):
    print("item")  # break: GA002 frame_dropped [python<3.12] | GA002 rest_eager [python>=3.12]
    return x + 1


def look_alikes(x):
    with contextlib.suppress(KeyError):
        x = x * {"a": 1}["b"]
    for part in x.split(1):
        x = x + part
    try:
        raise ValueError
    except ValueError:
        x = x + 1
    return x


def audit_in_loop():
    return in_loop, (torch.ones(3),)


def audit_in_try():
    return in_try, (torch.ones(3),)


def audit_in_with():
    return in_with, (torch.ones(3),)


def audit_in_no_grad():
    return in_no_grad, (torch.ones(3),)


def audit_in_helper():
    return in_helper, (torch.ones(3),)


def audit_in_comprehension():
    return in_comprehension, (torch.ones(3),)


def audit_look_alikes():
    return look_alikes, (torch.ones(3),)
