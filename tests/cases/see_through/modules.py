"""Masked breaks in modules: containers of modules, hooks, buffers, train and eval, attention, caches."""
import logging, os, time, uuid
import torch
from torch import nn

LOGGER = logging.getLogger("masked.modules")


class Block(nn.Module):
    def __init__(self, width, kind):
        super().__init__()
        self.lin, self.kind = nn.Linear(width, width), kind
        self.drop = nn.Dropout(0.1)
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, x, *, scale=1.0):
        self.steps += 1
        y = torch.relu(self.lin(x)) * scale
        if self.kind == "noisy":
            print("noisy")  # B1 | pass
        elif self.kind == "clocked":
            y = y * (time.time() * 0 + 1)  # B2 | y = y * 1
        if self.training:
            y = self.drop(y)
            os.getpid()  # B3 | pass
        if y.isnan().any():  # B4 | if False:
            return x
        return x + y

    def extra(self):
        LOGGER.info("kind %s", self.kind)  # B5 | pass
        return self.kind


# 1 ModuleList, ModuleDict, Sequential, isinstance, children, train and eval
class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Block(4, kind) for kind in ("plain", "noisy"))
        self.heads = nn.ModuleDict({"a": Block(4, "clocked"), "b": nn.Linear(4, 2)})
        self.tail = nn.Sequential(nn.LayerNorm(4), nn.GELU())

    def forward(self, x):
        for layer in self.layers:
            x = layer(x, scale=0.5)
        for name, head in self.heads.items():
            if isinstance(head, Block):
                x = head(x) + len(head.extra())
            else:
                x = self.tail(x)
                uuid.uuid4()  # B6 | pass
                x = head(x)
        return x * sum(p.numel() for p in self.parameters())


# 2 hooks on submodules, replaced forwards, attributes kept between layers
def before(module, args):
    print("before")  # B7 | pass
    return args


def after(module, args, out):
    module.seen = out.shape
    os.getppid()  # B8 | pass
    return out + 1


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.first.register_forward_pre_hook(before)
        self.second.register_forward_hook(after)
        self.cache = {}

    def forward(self, x):
        x = self.first(x)
        self.cache["first"] = x
        time.time()  # B9 | pass
        x = self.second(x) + self.cache["first"]
        return x + self.second.seen[-1] * os.cpu_count()  # B10 | return x + self.second.seen[-1]


# 3 attention with masks, a cache that grows, a router by data
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)
        self.past = []

    def forward(self, x, mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if mask is not None and not mask.all():  # B11 | if mask is not None:
            q = q.masked_fill(~mask[:, None], 0.0)
        self.past.append(k)
        LOGGER.warning("past %d", len(self.past))  # B12 | pass
        k = torch.cat(self.past, dim=0)
        v = torch.cat([v] * len(self.past), dim=0)
        return nn.functional.scaled_dot_product_attention(q, k, v)


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x, mask):
        x = self.attention(x, mask)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows = (x.argmax(-1) % 2 == i).nonzero()[:, 0]  # B13 | rows = torch.tensor([0])
            if rows.numel() == 0:
                continue
            out = out.index_add(0, rows, expert(x[rows]))
        torch._dynamo.graph_break()  # B15 | pass
        return out


# 4 a decoding loop around a module: sampling, stop token, growing input
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(8, 4), nn.Linear(4, 8)

    @torch.no_grad()
    def forward(self, ids):
        for step in range(3):
            logits = self.out(self.embed(ids)).mean(0)
            token = int(logits.argmax())  # B16 | token = 1
            if token == 9:
                break
            print("step", step)  # B17 | pass
            new = torch.tensor([token], device=ids.device)
            ids = torch.cat([ids, new])
        else:
            time.sleep(0)  # B18 | pass
        return ids[ids > 0]  # B19 | return ids[:2]


def subjects():
    torch.manual_seed(0)
    x = torch.ones(2, 4)
    return {
        "tower": (Tower(), (x,)),
        "tower_eval": (Tower().eval(), (x,)),
        "hooked": (Hooked(), (x,)),
        "router": (Router(), (x, torch.tensor([True, False]))),
        "decoder": (Decoder(), (torch.tensor([1, 2]),)),
    }
