"""Masked breaks in functions: nested, closures, lambdas, decorators, partial, recursion, defaults."""
import functools, itertools, operator, os, random, socket, time
import torch

TOTALS = {"calls": 0}


# 1 nonlocal counters that a break lies between, a closure that is given away
def counters(x):
    count, seen = 0, []

    def step(by=1):
        nonlocal count
        count += by
        print("count", count)  # B1 | pass
        seen.append(count)
        return count

    x = x + step()
    time.sleep(0)  # B2 | pass
    x = x * step(by=count + 1)
    hidden(step)  # B3 | step()
    if count == 4:
        x = x + os.getpid()  # B4 | x = x + 1
    return x + len(seen)


@torch.compiler.disable
def hidden(function):
    function()


# 2 lambdas in map, filter, reduce, sorted, with defaults and as values
def lambdas(x):
    ops = {"double": lambda v: v * 2, "clock": lambda v: v + time.time()}  # B5 | ops = {"double": lambda v: v * 2, "clock": lambda v: v + 1}
    for name in sorted(ops, key=lambda n: (len(n), n)):
        x = ops[name](x)
    x = x + sum(map(lambda i, k=3: i * k + os.getppid() * 0, range(3)))  # B6 | x = x + sum(map(lambda i, k=3: i * k, range(3)))
    x = functools.reduce(lambda a, b: a + b.sum() * random.SystemRandom().random(), [x, x], x)  # B7 | x = functools.reduce(lambda a, b: a + b.sum(), [x, x], x)
    kept = list(filter(lambda i: os.path.isdir("/") and i > 1, range(4)))  # B8 | kept = [2, 3]
    return (lambda *a, **k: a[0] * len(k))(x, one=1, two=print("two")) + len(kept)  # B9 | return x * 2 + len(kept)


# 3 decorators with arguments, stacked, that count calls on the function
def repeat(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for _ in range(times):
                out = function(*args, **kwargs)
                TOTALS["calls"] += 1
                print("calls", TOTALS["calls"])  # B10 | pass
            return out

        return wrapper

    return decorate


def logged(function):
    def wrapper(x):
        try:
            return function(x) + socket.gethostname().count(".") * 0  # B11 | return function(x)
        finally:
            time.monotonic_ns()  # B12 | pass

    return wrapper


@logged
@repeat(2)
def shifted(x):
    os.getuid()  # B13 | pass
    return x + 1


def stacked(x):
    x = shifted(x) * shifted(x)
    torch._dynamo.graph_break()  # B14 | pass
    return x - TOTALS["calls"]


# 4 partial, methodcaller, recursion, keyword-only arguments, star calls
def power(x, n, *, base=1):
    if n == 0:
        print("base case")  # B15 | pass
        return x * base
    return power(x, n - 1, base=base) * 2


def spread(first, *rest, scale=1, **named):
    os.getpgrp()  # B16 | pass
    return first * scale + len(rest) + len(named)


def partials(x):
    cube = functools.partial(power, n=3)
    x = cube(x, base=os.cpu_count())  # B17 | x = cube(x, base=2)
    double = functools.partial(functools.partial(spread, scale=2), x)
    x = double(1, 2, a=3)
    x = spread(*[x, 1], **{"scale": 2, "b": time.time()})  # B18 | x = spread(*[x, 1], **{"scale": 2, "b": 0})
    x = operator.methodcaller("clamp", max=3)(x)
    return functools.partial(torch.add, alpha=2)(x, len(os.uname()))  # B19 | return functools.partial(torch.add, alpha=2)(x, 5)


def subjects():
    TOTALS["calls"] = 0
    x = torch.ones(4)
    return {
        "counters": (counters, (x,)),
        "lambdas": (lambdas, (x,)),
        "stacked": (stacked, (x,)),
        "partials": (partials, (x,)),
    }
