class Holder:
    kept = 0


THINGS = {"count": 0, "inner": [State()]}


def helper(x):
    THINGS["count"] += 1
    THINGS["inner"].append(1)
    THINGS["inner"][0].count += 5
    Holder.kept += 1
    return x


def entry(x):
    """What runs below a real step changes objects that the trace never meets."""
    t = max([1, 2], key=lambda k: 0 if helper(x) is None else k)  # ! key_on_tensor | helper(x)
    return x * 2 + t + Holder.kept
