"""Entries that do to their process whatever code can do, among good ones."""

import ctypes
import os
import subprocess
import sys
import time

import torch


def double(x):
    return x * 2


def raises(x):
    raise ValueError("wrong on purpose")


def leaves(x):
    sys.exit(3)


def leaves_at_once(x):
    os._exit(3)


def dies(x):
    ctypes.string_at(0)


def hangs(x):
    subprocess.Popen(["sleep", "600"])
    while True:
        time.sleep(0.05)


def recurses(x):
    return recurses(x + 1)


def chatters(x):
    print("x" * 10_000_000)
    return x + 1


for eager in ("leaves", "leaves_at_once", "dies", "hangs", "chatters"):
    globals()[eager] = torch.compiler.disable(globals()[eager])


def audit_good_1():
    return double, (torch.ones(3),)


def audit_call_raises():
    return raises, (torch.ones(3),)


def audit_factory_raises():
    raise RuntimeError("no weights here")


def audit_sys_exit():
    return (lambda x: leaves(x + 1)), (torch.ones(3),)


def audit_sys_exit_in_factory():
    sys.exit("not today")


def audit_os_exit():
    return (lambda x: leaves_at_once(x + 1)), (torch.ones(3),)


def audit_good_2():
    return double, (torch.ones(4),)


def audit_segfault():
    return (lambda x: dies(x + 1)), (torch.ones(3),)


def audit_hangs():
    return (lambda x: hangs(x + 1)), (torch.ones(3),)


def audit_recurses():
    return recurses, (torch.ones(3),)


def audit_prints_10_mb():
    return (lambda x: chatters(x + 1)), (torch.ones(3),)


def audit_nonsense():
    return 42


def audit_forks():
    os.fork()  # two processes go on tracing
    return double, (torch.ones(3),)


def audit_leaves_a_daemon():
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    return double, (torch.ones(3),)


def audit_prints_and_exits():
    print("y" * 100_000 + "\nValueError: the last word", end="", flush=True)
    os._exit(4)


def audit_says_too_much():
    raise RuntimeError("/a" * 200_000)


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError("no words")


def audit_unspeakable():
    raise Unspeakable


def audit_meddles():
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    os.environ["PATH"] = ""
    sys.stdout = None
    return double, (torch.ones(3),)


def audit_changes_the_folder():
    os.chdir("/")
    return double, (torch.ones(3),)


def audit_closes_everything():
    os.closerange(0, 4096)
    return double, (torch.ones(3),)


def breaks(x):
    x = x + 1
    torch._dynamo.graph_break()
    return x


TIMES = {"leaves": 0, "hangs": 0, "beside": 0}


def audit_leaves_in_a_further_trace():
    TIMES["leaves"] += 1
    if TIMES["leaves"] > 2:
        os._exit(5)
    return breaks, (torch.ones(3),)


def audit_hangs_in_a_further_trace():
    TIMES["hangs"] += 1
    if TIMES["hangs"] > 2:
        time.sleep(1_000)
    return breaks, (torch.ones(3),)


def audit_hangs_beside_a_clean_one():
    TIMES["beside"] += 1
    yield double, (torch.ones(3),)
    if TIMES["beside"] > 2:
        time.sleep(1_000)
    yield breaks, (torch.ones(3),)


audit_leaves_in_a_further_trace.gate = "default"
audit_hangs_in_a_further_trace.gate = "default"
audit_hangs_beside_a_clean_one.gate = "default"


def audit_good_3():
    return double, (torch.ones(5),)
