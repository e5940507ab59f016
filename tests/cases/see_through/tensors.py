"""Masked breaks that need data or leave torch: values, shapes, indices, numpy, memory, randomness."""
import hashlib, os, random, time
import numpy as np
import torch


# 1 shapes from data: nonzero, unique, masks, repeat_interleave, where with one argument
def shapes(x, mask):
    a = mask.nonzero().shape[0]  # B1 | a = 2
    b = x[mask].sum()  # B2 | b = x[:2].sum()
    c = torch.unique(x).numel()  # B3 | c = 1
    (d,) = torch.where(mask)  # B4 | d = torch.tensor([0, 2])
    e = torch.masked_select(x, mask)  # B5 | e = x[:2]
    f = torch.repeat_interleave(x, mask.long())  # B6 | f = x[:2]
    g = torch.bincount(mask.long()).max()  # B7 | g = x.max()
    h = x.split(mask.long().tolist()[:1] + [2])  # B8 | h = x.split([1, 2])
    return b * a + c + x[d].sum() + e.sum() + f.sum() + g + h[0]


# 2 numbers out of tensors, in each way that Python asks for one
def numbers(x, n):
    k = int(n)  # B9 | k = 3
    f = float(x.mean())  # B10 | f = 1.0
    b = bool(x.any())  # B11 | b = True
    i = [5, 6, 7, 8][n]  # B12 | i = 8
    r = sum(range(n))  # B13 | r = 3
    s = round(x.sum().item(), 1)  # B14 | s = 3.0
    t = "abcd"[n:]  # B15 | t = "d"
    assert n == k
    return x * k * f + b + i + r + s + len(t)


# 3 numpy, bytes, pointers, hashing, copies through Python
def outside(x):
    arr = x.numpy() * 2
    noise = np.random.default_rng(0).normal(size=3)  # B17 | noise = np.zeros(3)
    x = x + torch.from_numpy(arr) + torch.from_numpy(noise).float()
    x.storage()  # B18 | pass
    digest = hashlib.sha256(x.detach().numpy().tobytes()).digest()  # B19 | digest = b"0" * 32
    x = x + len(digest)
    y = torch.tensor(list(map(float, x)))  # B20 | y = torch.tensor([1.0, 2.0, 3.0])
    z = torch.tensor([random.SystemRandom().random()])  # B21 | z = torch.tensor([0.5])
    np.save(os.devnull, arr)  # B22 | pass
    return y + z + torch.as_tensor(np.argmax(arr))


# 4 in-place operators and views between breaks, output arguments, random states
def in_place(x, out):
    y = x.view(2, 2)
    y[0] += 1
    print("viewed", y)  # B23 | pass
    x.mul_(2)
    if x.sum() == 12:  # B24 | if True:
        torch.add(x, 1, out=out)
    time.time()  # B25 | pass
    out[out > 4] = 0
    state = torch.get_rng_state()  # B26 | state = None
    x = x + torch.rand_like(x).ceil() * int(out.max())  # B27 | x = x + torch.rand_like(x).ceil() * 3
    x[torch.randperm(4)[0].item()] = 5  # B28 | x[0] = 5
    return x if state is None else x + 1


def subjects():
    mask = torch.tensor([True, False, True])
    x = torch.ones(3)
    return {
        "shapes": (shapes, (x, mask)),
        "numbers": (numbers, (x, torch.tensor(3))),
        "outside": (outside, (x,)),
        "in_place": (in_place, (torch.ones(4), torch.zeros(4))),
    }
