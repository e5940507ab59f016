"""Masked breaks around containers, strings, bytes, sorting and the standard library."""
import bisect, collections, copy, heapq, io, itertools, json, math, operator, os, pathlib, pickle, re, string, time, uuid
import torch


# 1 dict, set, deque, Counter, defaultdict, OrderedDict, changed across breaks
def containers(x):
    groups = collections.defaultdict(list)
    for i in range(4):
        groups[i % 2].append(i)
        print("group", groups[i % 2])  # B1 | pass
    recent = collections.deque(maxlen=2)
    for key, values in groups.items():
        recent.append(sum(values))
        time.time()  # B2 | pass
    counts = collections.Counter("abca")
    counts["a"] += os.cpu_count() * 0  # B3 | counts["a"] += 0
    table = {"a": 1} | {"b": 2}
    table.setdefault("c", []).append(os.getpid())  # B4 | table.setdefault("c", []).append(1)
    names = {"x", "y"} & {"y", "z"}
    names.add(str(uuid.uuid4()))  # B5 | names.add("u")
    order = collections.OrderedDict(b=1, a=2)
    order.move_to_end("b")
    x = x + recent[0] * recent[1] + counts["a"] + len(table["c"]) + len(names)
    x = x * table.pop("b") + next(iter(order.values()))
    opaque_fill(groups)  # B6 | groups[2].append(7)
    return x + groups[2][0]


@torch.compiler.disable
def opaque_fill(groups):
    groups[2].append(7)


# 2 sorting with keys, bisect, heapq, min and max, slices
def sorting(x):
    def rank(v):
        os.getuid()  # B7 | pass
        return -v

    values = sorted([3, 1, 2], key=rank)
    values.sort(key=lambda v: (v % 2, time.time() * 0))  # B8 | values.sort(key=lambda v: v % 2)
    x = x + values[0]
    heap = [5, 1, 4]
    heapq.heapify(heap)  # B9 | heap.sort()
    x = x + heap[0]
    i = bisect.bisect(values, os.getppid() * 0)  # B10 | i = 0
    values[1:2] = [9, 9]
    x = x * max(values, key=operator.neg) + min([x.sum().item(), 2.0])  # B11 | x = x * max(values, key=operator.neg) + 2.0
    for a, b in itertools.pairwise(values):
        x = x + a - b
        print(a, b)  # B12 | pass
    return x + i


# 3 strings, bytes, regular expressions, templates
def strings(x):
    name = "layer.{}.weight".format(os.getpid() * 0)  # B13 | name = "layer.0.weight"
    parts = name.split(".")
    n = int(parts[1]) + len(name.encode("utf-8").hex())  # B14 | n = 28
    found = re.sub(r"\d+", "0", name)
    x = x + n + len(found.rsplit(".", 1)[-1])
    text = string.Template("$a-$b").substitute(a=1, b=2)  # B16 | text = "1-2"
    raw = b"\x01\x02" + b"\x03"
    x = x * len(raw) + int.from_bytes(raw[:1], "big") + text.count("-")
    if name.upper().startswith("LAYER") and not name.isdigit():
        x = x + float(f"{x.sum():.0f}")  # B17 [torch<2.14] | x = x + 4.0
    return x + len(memoryview(raw))  # B18 | return x + 3


# 4 files, paths, json, pickle, copies
def files(x):
    path = pathlib.Path("/") / "tmp"
    base = os.path.basename("/a/b.txt")
    if os.path.isfile("/no/file"):  # B20 | if False:
        return x
    data = json.loads('{"k": [1, 2]}')  # B21 | data = {"k": [1, 2]}
    for value in data["k"]:
        x = x + value
        pickle.dumps(value)  # B22 | pass
    again = copy.deepcopy({"k": [os.getpid()]})  # B23 | again = {"k": [1]}
    buffer = io.BytesIO()  # B24 | buffer = None
    x = x + len(base) + len(again["k"]) + math.floor(time.time() * 0)  # B25 | x = x + len(base) + len(again["k"])
    return x if path.name and buffer is None else x * 2  # B26 [python>=3.13] | return x * 1


def subjects():
    x = torch.ones(4)
    return {
        "containers": (containers, (x,)),
        "sorting": (sorting, (x,)),
        "string_methods": (strings, (x,)),
        "files": (files, (x,)),
    }
