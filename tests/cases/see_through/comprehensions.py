"""Masked breaks in comprehensions of each kind, generator expressions, generators and iterators."""
import hashlib, itertools, os, random, secrets, time, uuid
import torch


def noisy(value):
    print("noisy", value)  # B1 | pass
    return value


# 1 list, dict, set, nested, with conditions; a call in the condition
def each_kind(xs):
    a = [noisy(v) for v in xs if v.dim() == 1]
    b = {i: os.getpid() for i in range(2)}  # B2 | b = {i: 1 for i in range(2)}
    c = {time.time() * 0 for _ in range(2)}  # B3 | c = {0.0 for _ in range(2)}
    d = [[i * j for i in range(2) if os.cpu_count()] for j in range(2)]  # B4 | d = [[i * j for i in range(2)] for j in range(2)]
    e = [v for row in [xs, xs] for v in row if v.sum() > 0]  # B5 | e = [v for row in [xs, xs] for v in row]
    return a[0] + len(b) + len(c) + d[1][1] + len(e)


# 2 generator expressions in any, all, sum, max, join, sorted
def expressions(xs):
    n = sum(len(uuid.uuid4().hex) for _ in range(2))  # B6 | n = 64
    s = ",".join(str(v.item()) for v in xs)  # B7 | s = "1.0,1.0"
    k = max(int(hashlib.md5(b"%d" % i).hexdigest(), 16) % 7 for i in range(3))  # B8 | k = 5
    ok = all(v.isfinite().all() for v in xs)  # B9 | ok = True
    some = any(os.path.exists(p) for p in ("/", "/tmp"))  # B10 | some = True
    order = sorted((secrets.randbelow(9) for _ in range(3)), reverse=True)  # B11 | order = [3, 2, 1]
    return xs[0] + n + len(s) + k + ok + some + len(order)


# 3 generators: try and finally inside, delegation, next with a default
def counted(n):
    total = 0
    for i in range(n):
        try:
            yield i
            os.getppid()  # B12 | pass
        finally:
            total += i
    yield total


def delegated(n):
    yield from counted(n)
    print("delegated", n)  # B13 | pass
    yield from [random.Random(1).random() * 0 + 7]  # B14 | yield from [7]


def numbers(x):
    for n in range(2):
        if n == 1:
            return
        torch._dynamo.graph_break()  # B15 | pass
        yield x * n


def delegates(x):
    for v in delegated(3):
        x = x + v
    total = numbers(x)
    x = x + next(total) + next(total, 5)
    time.time()  # B16 | pass
    return x


# 4 iterator classes, iter with a sentinel, islice, chain, tee of generators
class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        time.monotonic()  # B17 | pass
        return self.n


class Pages:
    def __getitem__(self, index):
        if index > 2:
            raise IndexError
        return index

    def __iter__(self):
        os.getuid()  # B18 | pass
        yield from (0, 1, 2)


def iterators(x):
    for i in Countdown(3):
        x = x + i
    for page in Pages():
        x = x * (page + 1)
    first = list(itertools.islice(counted(5), 2))
    for i in itertools.chain(first, Countdown(2)):
        x = x - i
        print(i)  # B19 | pass
    a, *b, c = Countdown(4)
    x = x + a + len(b) + c
    time.perf_counter()  # B20 | pass
    return x


# 5 a generator as entry: it is drained
def streamed(x):
    for i in range(2):
        print("step", i)  # B21 | pass
        yield x * i
    with torch.no_grad():
        x = x + os.getpid()  # B22 | x = x + 1
        yield x
    yield from counted(2)
    time.sleep(0)  # B23 | pass


def drain(x):
    return [item for item in streamed(x)]


def subjects():
    x = torch.ones(4)
    return {
        "each_kind": (each_kind, ([x, x],)),
        "expressions": (expressions, ([torch.ones(()), torch.ones(())],)),
        "delegates": (delegates, (x,)),
        "iterators": (iterators, (x,)),
        "streamed": (drain, (x,)),
    }
