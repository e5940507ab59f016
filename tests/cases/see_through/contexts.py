"""Masked breaks around `with`: classes, generators, several items, torch's own, stacks, decorators."""
import contextlib, io, os, tempfile, threading, time, warnings
import torch

EVENTS = []


class Timer:
    def __init__(self, name):
        self.name, self.start = name, None

    def __enter__(self):
        self.start = time.monotonic()  # B1 | self.start = 0.0
        return self

    def __exit__(self, kind, value, traceback):
        EVENTS.append(os.times())  # B2 | EVENTS.append(0)
        return kind is ValueError


class Scale:
    def __init__(self, by):
        self.by = by

    def __enter__(self):
        print("scale", self.by)  # B3 | pass
        return self.by

    def __exit__(self, *_):
        self.by = 0


@contextlib.contextmanager
def guarded(x):
    os.getuid()  # B4 | pass
    try:
        yield x + 1
    finally:
        print("left")  # B5 | pass


# 1 a class that measures, one that swallows an exception, nested
def timers(x):
    with Timer("outer") as outer:
        x = x + 1
        with Timer("inner"):
            x = x * 2
            raise ValueError("swallowed")
        x = x * 3
    print(outer.name)  # B7 | pass
    return x


# 2 several items in one statement, one from a generator; a context as decorator
@torch.no_grad()
def scaled(x):
    x = x * os.cpu_count()  # B6 | x = x * 2
    return x * 3


def several(x):
    with Scale(2) as by, guarded(x) as y, contextlib.nullcontext(5) as n:
        x = y * by + n
        torch._dynamo.graph_break()  # B8 | pass
    x = scaled(x)
    time.sleep(0)  # B9 | pass
    return x


# 3 torch's own: grad modes, autocast, and a switch in the middle
def modes(x):
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x
        print(y.dtype)  # B10 | pass
        y = y @ x
    with torch.enable_grad():
        z = (x * 2).sum()
        if z > 1e9:  # B11 | if False:
            z = z - 1
        with torch.autocast("cpu", enabled=False):
            y = y.float() * os.getpid()  # B12 | y = y.float() * 2
    with torch.set_grad_enabled(False):
        w = z.item()  # B13 | w = 8.0
    return y * w


# 4 stacks of contexts, suppressed exceptions, redirected output
def stacks(x):
    with contextlib.ExitStack():
        x = x + 1
        os.getegid()  # B15 | pass
    with contextlib.suppress(KeyError):
        x = x * 2
        os.environ["NO_SUCH_KEY_AT_ALL"]
        x = x * 100
    with contextlib.redirect_stdout(io.StringIO()):  # B16 | if True:
        x = x - 1
    with warnings.catch_warnings():
        x = x.sin()
        warnings.warn("masked", stacklevel=1)  # B17 | pass
    with threading.RLock():  # B18 | if True:
        x = x.cos()
    return x


# 5 files, contexts kept in a variable and entered twice, one inside a loop inside another
def reused(x):
    with tempfile.TemporaryFile() as file:  # B19 | with contextlib.nullcontext() as file:
        x = x + 1
    again = Scale(2)
    for _ in range(2):
        with again as by:
            x = x + by
            with torch.no_grad():
                for i in range(2):
                    x = x * os.cpu_count() + i  # B20 | x = x * 2 + i
    with open(os.devnull) as file:  # B21 | with contextlib.nullcontext() as file:
        x = x.tanh()
    return x


def subjects():
    EVENTS.clear()
    x = torch.ones(4)
    return {
        "timers": (timers, (x,)),
        "several": (several, (x,)),
        "modes": (modes, (torch.ones(2, 2),)),
        "stacks": (stacks, (x,)),
        "reused": (reused, (x,)),
    }
