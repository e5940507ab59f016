"""Masked breaks in and around functions of functions: autograd.Function, checkpoint, vmap, grad, cond."""
import os, time, uuid
import torch
from torch.utils.checkpoint import checkpoint


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def block(x, k):
    x = x.sin() * k
    time.time()  # B1 | pass
    return x.cos()


# 1 checkpoint, autograd.Function, breaks inside the body and around it
def checkpointed(x):
    for k in range(2):
        x = checkpoint(block, x, k, use_reentrant=False)
        print("layer", k)  # B2 | pass
    x = Square.apply(x)
    x = x * os.getpid()  # B3 | x = x * 2
    return Square.apply(x) + 1


# 2 vmap, grad, jvp of functions with breaks
def inner(v):
    print("inner")  # B4 | pass
    return (v * v).sum()


def transforms(x):
    a = torch.func.vmap(inner)(x)
    os.getppid()  # B5 | pass
    b = torch.func.grad(lambda v: v.sin().sum())(x)
    for _ in range(2):
        b = b + uuid.uuid4().int * 0  # B6 | b = b + 0
    return a.sum() + b.sum().item()  # B7 | return a.sum() + 1


# 3 cond, scan over layers by hand, a compiled function inside
def branches(x):
    y = torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, (x,))
    print("cond")  # B8 | pass
    try:
        y = torch.compile(lambda v: v * 2, backend="eager")(y)
        if y.sum() > 1e9:  # B9 | if False:
            return y
    finally:
        time.sleep(0)  # B10 | pass
    return y * os.cpu_count()  # B11 | return y * 2


# 4 regions that the user keeps from Dynamo, custom operators, tensor hooks
@torch.library.custom_op("masked_cases::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@twice.register_fake
def _(x):
    return torch.empty_like(x)


@torch.compiler.disable(reason="kept in Python")
def kept(x):
    return x + 1


def regions(x):
    x = twice(x)
    with torch.no_grad():
        x = kept(x)  # B12 | x = x + 1
    for _ in range(2):
        x = kept(twice(x))  # B13 | x = twice(x) + 1
    x = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))  # B14 | x = x.clone()
    try:
        x = x + torch.compiler.disable(len)([1, 2])  # B15 | x = x + 2
    except TypeError:
        x = x * 100
    return x if torch.compiler.is_compiling() else x + 0


# 5 steps on the tensors that the bodies of vmap, grad and jvp have, one in another
def shown(v):
    print(v)  # B16 | pass
    return (v * v).sum()


def loss(v):
    n = v.sum().item()  # B17 | n = 6.0
    if v.sum() > 0:  # B18 | if v.dim() > 0:
        v = v * kept(v)  # B19 | v = v * (v + 1)
    return v.sum() * n


def bodies(x):
    a = torch.func.vmap(shown)(x)
    b = torch.func.grad(loss)(x)
    y, t = torch.func.jvp(lambda v: kept(v).sin(), (x,), (x,))  # B20 | y, t = x.sin(), x.cos()
    c = torch.func.vmap(torch.func.grad(shown))(x)
    if t.sum() < 0 and b.sum() == 108 and c.sum() == 12:  # B21 | if x.dim() == 2:
        time.sleep(0)  # B22 | pass
    return a.sum() + b + c + y


# 6 what a body writes, and raises
def writes(v):
    SEEN.append(str(v.shape))
    v = v.clone()
    v.add_(1)
    os.getppid()  # B23 | pass
    if len(SEEN) == 2:
        raise ValueError(kept(v).dim())  # B24 | raise ValueError(v.dim())
    return v


SEEN = []


def effects(x):
    x = torch.func.vmap(writes)(x)
    try:
        x = torch.func.vmap(writes)(x)
    except ValueError as error:
        x = x * error.args[0]
    uuid.uuid4()  # B25 | pass
    if x.sum() == 12:  # B26 | if x.dim() == 2:
        time.time()  # B27 | pass
    return x


def subjects():
    x = torch.ones(3)
    return {
        "checkpointed": (checkpointed, (torch.ones(3, requires_grad=True),)),
        "transforms": (transforms, (torch.ones(2, 3),)),
        "branches": (branches, (x,)),
        "regions": (regions, (x,)),
        "bodies": (bodies, (torch.ones(2, 3),)),
        "effects": (effects, (torch.ones(2, 3),)),
    }
