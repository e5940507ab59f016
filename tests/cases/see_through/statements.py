"""Masked breaks in statements: match, walrus, unpacking, f-strings, assert, early return, conditions."""
import os, random, sys, time, uuid
import torch

CALLS = 0


# 1 match on sequences, mappings, classes, guards, captures
def matches(x, commands):
    for command in commands:
        match command:
            case ["scale", int(k)]:
                print("scale", k)  # B1 | pass
                x = x * k
            case {"op": "shift", **rest}:
                x = x + len(rest) * os.cpu_count()  # B2 | x = x + len(rest)
            case ("pair", [a, *others]) if time.time() > 0:  # B3 | case ("pair", [a, *others]):
                x = x + a + len(others)
            case str() | bytes():
                uuid.uuid4()  # B4 | pass
            case _:
                torch._dynamo.graph_break()  # B5 | pass
    return x


# 2 walrus, chained comparison, and/or, conditional expressions, star unpacking, swaps
def expressions(x, n):
    if (k := n.item()) > 2:  # B6 | if (k := 3) > 2:
        x = x * k
    if 0 < os.getpid() < 1 << 30:  # B7 | if True:
        x = x + 1
    y = x.sum() > 0 and x.mean() or x  # B8 | y = x.mean()
    x = x * 2 if x.min() > -1 else x  # B9 | x = x * 2
    a, *b, (c, d) = [1, 2, 3, (4, time.time())]  # B10 | a, *b, (c, d) = [1, 2, 3, (4, 5)]
    a, b[0] = b[0], a
    x = x + a + len([*b, *range(c)])
    return x + y + (not x.any())  # B11 | return x + y + False


# 3 f-strings, format, %, join, assert with message, del
def texts(x):
    s = f"{x.sum():.2f}|{len('ab')!r:>5}"
    n = len(s)  # B12 | n = 10
    name = f"{os.getpid()}-{n}"  # B13 | name = "1-10"
    t = "%s %d" % (type(x).__name__, uuid.uuid1().int % 7 * 0)  # B14 | t = "Tensor 0"
    u = "{} {key}".format(x.shape, key=time.time())  # B15 | u = "4 1"
    assert x.sum() > 0, f"no sum in {name}"  # B16 | pass
    assert n, "empty"
    del s
    x = x + len(t.split()) + len(u.partition(" ")) + ",".join(["a", "b"]).count(",")
    print(f"{n=} {t!r}")  # B17 | pass
    return x * len(repr(x))  # B18 | return x * 4


# 4 early returns out of loops, with and try; globals; nested conditions
def find(x, wanted):
    global CALLS
    CALLS += 1
    for i in range(5):
        with torch.no_grad():
            try:
                if i == wanted:
                    sys.getrefcount(x)  # B19 | pass
                    return x + i
            finally:
                os.times()  # B20 | pass
    return None


def early(x):
    y = find(x, 3)
    z = find(x, 9)
    if z is None:
        print("not found")  # B21 | pass
        z = y
    elif y is None:
        return x
    if not (x.sum() < 0 or CALLS > 2):  # B22 | if True:
        if (y == z).all():  # B23 | if True:
            return y * random.SystemRandom().random()  # B24 | return y * 0.5
        return x - 1
    return z


def subjects():
    x = torch.ones(4)
    commands = [["scale", 2], {"op": "shift", "by": 1}, ("pair", [1, 2, 3]), "text", 7]
    return {
        "matches": (matches, (x, commands)),
        "conditions": (expressions, (x, torch.tensor(3))),
        "texts": (texts, (x,)),
        "early": (early, (x,)),
    }
