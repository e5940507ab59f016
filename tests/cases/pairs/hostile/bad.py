"""Pairs that crash, leave, print and lie, between two good ones."""

import os
import signal
import sys

import torch


def yes():
    return True


def compare_good_1():
    return yes, yes, ()


def compare_os_exit():
    return (lambda: os._exit(3)), yes, ()


def compare_sys_exit():
    return (lambda: sys.exit(3)), (lambda: sys.exit(3)), ()


def compare_factory_raises():
    raise RuntimeError("no weights here")


def compare_nonsense():
    return 42


def compare_unknown_attribute():
    return yes, yes, ()


compare_unknown_attribute.change = {}


def no_umbrella():
    raise RuntimeError("no umbrella")


def compare_change_raises():
    return yes, yes, ()


compare_change_raises.changes = {"it rains": no_umbrella}


def compare_no_package():
    return yes, yes, ()


compare_no_package.packages = ("not a name",)


def prints():
    print("a break")
    return True


def compare_prints():
    return yes, prints, ()


class Unspeakable:
    def __repr__(self):
        raise ValueError("no words")

    def __eq__(self, other):
        raise ValueError("not the same")

    __hash__ = None


UNSPEAKABLE = Unspeakable()


def unspeakable():
    return UNSPEAKABLE


def compare_unspeakable():
    return unspeakable, unspeakable, ()


def compare_differs():
    return (lambda: 1), (lambda: 2), ()


def compare_killed():
    return (lambda: os.kill(os.getpid(), signal.SIGKILL)), yes, ()


def compare_gives_a_generator():
    yield yes, yes, ()


def compare_elsewhere():
    return yes, yes, ()


compare_elsewhere.platforms = ("cuda",)


def compare_good_2():
    return (lambda x: x * 2), (lambda x: x + x), (torch.ones(3),)
