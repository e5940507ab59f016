"""Masked breaks in loops: for, while, else, break, continue, nested; over what Python can loop over."""
import collections, itertools, os, random, sys, time, uuid
import torch


# 1 for with else, and a loop that never ends by itself
def for_else(x):
    for i in range(3):
        print("round", i)  # B1 | pass
        if i == 5:
            break
        x = x + i
    else:
        x = x * os.getpid()  # B2 | x = x * 2
    n = 0
    while True:
        n += 1
        if n == 2:
            continue
        torch._dynamo.graph_break()  # B3 | pass
        if n > 3:
            time.sleep(0)  # B4 | pass
            break
    else:
        x = x - 1
    return x + n


# 2 while on a tensor, with else; a loop whose bound is a real value
def while_tensor(x, count):
    while x.sum() < 100:  # B5 | for _ in range(3):
        x = x * 4
        sys.stdout.write("x")  # B6 | pass
    else:
        x = x - os.getppid()  # B7 | x = x - 1
    for i in range(int(count)):  # B8 | for i in range(3):
        x = x + i
    for i in range(count.item() - 1):  # B9 | for i in range(2):
        if x[i] < 0:  # B10 | if False:
            return x
    return x


# 3 zip, enumerate, reversed, dictionary views; break and continue across levels
def zips(x, table):
    for i, (name, value) in enumerate(table.items()):
        if name == "skip":
            continue
        for a, b in zip(range(value), reversed(range(value)), strict=True):
            if a > b:
                print("crossed", a, b)  # B11 | pass
                break
            x = x + a * b
        else:
            uuid.uuid1()  # B12 | pass
        x = x * (i + 1)
    for key in list(table):
        del table[key]
        time.time_ns()  # B13 | pass
    for pair in itertools.product("ab", (1, 2)):
        x = x + pair[1]
        os.stat("/")  # B14 | pass
    return x


# 4 loops over what a break made, over a deque that is eaten, over indices of tensors
def eaten(x, mask):
    for name in os.listdir("/proc/self/task")[:1]:  # B15 | for name in ["1"]:
        x = x + len(name)
    queue = collections.deque([3, 2, 1])
    while queue:
        n = queue.popleft()
        random.SystemRandom().random()  # B16 | pass
        if n > 2:
            queue.append(0)
    for i in mask.nonzero():  # B17 | for i in torch.tensor([[0], [2]]):
        x = x + i
    for row in x.reshape(2, 2):
        if row.sum() > 1e9:  # B18 | if False:
            break
        x = x + row.sum()
    i = 3
    while i := i - 1:
        print(i)  # B19 | pass
    return x


# 5 iterators that a call outside the trace eats from, and that the trace goes on with
@torch.compiler.disable
def take(items):
    return next(items)


def partly(x):
    for _ in range(1):
        numbers = iter([1, 2, 3])
        x = x + take(numbers)  # B20 | x = x + next(numbers)
        if next(numbers) == 2:
            os.getppid()  # B21 | pass
        pairs = zip(range(3), map(abs, [-1, -2, -3]))
        take(pairs)  # B22 | next(pairs)
        for i, j in pairs:
            x = x + i * j
            time.sleep(0)  # B23 | pass
        made = (i * 2 for i in range(4))
        take(made)  # B24 | next(made)
        if list(made) == [2, 4, 6]:
            uuid.uuid4()  # B25 | pass
    return x


def subjects():
    x = torch.ones(4)
    return {
        "for_else": (for_else, (x,)),
        "while_tensor": (while_tensor, (x, torch.tensor(3))),
        "zips": (zips, (x, {"a": 2, "skip": 1, "b": 1})),
        "partly": (partly, (x,)),
        "eaten": (eaten, (x, torch.tensor([True, False, True, False]))),
    }
