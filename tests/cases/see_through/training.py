"""Masked breaks in training steps: loss, backward, clipping, optimizer, scheduler, metrics."""
import logging, math, os, time, uuid
import torch
from torch import nn

LOGGER = logging.getLogger("masked.training")


@torch.compiler.disable
def update(optimizer):
    optimizer.step()


# 1 the plain step: forward, loss, backward, optimizer
class Step:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.history = []
        self.best = math.inf

    def __call__(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)  # B20 | pass
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()  # B1 | loss = loss * 1
        total = nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        if total > 1e9:  # B2 | if False:
            LOGGER.error("exploded")
        update(self.optimizer)  # B21 | pass
        self.history.append(loss.item())  # B3 | self.history.append(0.5)
        if self.history[-1] < self.best:
            self.best = self.history[-1]
            print("best", self.best)  # B4 | pass
        return loss.detach() * os.getpid()  # B5 | return loss.detach()


# 2 accumulation over micro batches, autocast, a schedule by hand
class Accumulate:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.rate, self.seen = 0.1, 0
        for p in self.model.parameters():
            p.grad = torch.zeros_like(p)

    def __call__(self, batches):
        losses = []
        for i, batch in enumerate(batches):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = self.model(batch).float().pow(2).mean() / len(batches)
            loss.backward()  # B6 | pass
            losses.append(loss.detach())
            self.seen += 1
            LOGGER.warning("micro %d", i)  # B7 | pass
        with torch.no_grad():
            for p in self.model.parameters():
                if p.grad is None:
                    continue
                p.sub_(p.grad, alpha=self.rate)
                p.grad = None
                time.time()  # B8 | pass
        self.rate = self.rate * math.cos(self.seen)
        uuid.uuid4()  # B9 | pass
        return torch.stack(losses).sum()


# 3 scaling with overflow checks, skipped steps, averaged weights
class Scaled:
    def __init__(self):
        self.model, self.shadow = nn.Linear(4, 4), nn.Linear(4, 4)
        self.scale, self.skipped = 4.0, 0

    def __call__(self, x):
        loss = (self.model(x) * self.scale).sum()
        grads = torch.autograd.grad(loss, list(self.model.parameters()))  # B10 | grads = [p * 0 for p in self.model.parameters()]
        if not all(g.isfinite().all() for g in grads):  # B11 | if False:
            self.skipped += 1
            self.scale /= 2
            return loss
        with torch.no_grad():
            for p, g in zip(self.model.parameters(), grads, strict=True):
                p.add_(g, alpha=-0.01 / self.scale)
                print(p.shape)  # B12 | pass
            for s, p in zip(self.shadow.parameters(), self.model.parameters(), strict=True):
                s.lerp_(p, 0.1)
                os.getppid()  # B13 | pass
        return loss


# 4 an epoch: batches, metrics by class, early stop, evaluation
class Epoch:
    def __init__(self):
        self.model = nn.Linear(3, 2)
        self.metrics = {"correct": 0, "total": 0, "loss": []}

    def evaluate(self, x, labels):
        self.model.eval()
        with torch.inference_mode():
            guess = self.model(x).argmax(-1)
            self.metrics["correct"] += (guess == labels).sum().item()  # B15 | self.metrics["correct"] += 1
            self.metrics["total"] += len(labels)
        return guess

    def __call__(self, batches):
        out = 0
        for x, labels in batches:
            loss = nn.functional.cross_entropy(self.model(x), labels)
            self.metrics["loss"].append(loss.tolist())  # B16 | self.metrics["loss"].append(0.1)
            guess = self.evaluate(x, labels)
            for label in labels.unique():  # B17 | for label in labels[:1]:
                out = out + (guess == label).float().mean()
            if loss < 0:  # B18 | if False:
                break
        else:
            LOGGER.info("epoch %s", self.metrics["total"])  # B19 | pass
        return out + self.metrics["correct"]


def subjects():
    torch.manual_seed(0)
    x, labels = torch.ones(2, 3), torch.tensor([0, 1])
    return {
        "step": (Step(), (torch.ones(2, 4), torch.zeros(2, 1))),
        "accumulate": (Accumulate(), ([torch.ones(2, 4), torch.zeros(2, 4)],)),
        "scaled": (Scaled(), (torch.ones(2, 4),)),
        "epoch": (Epoch(), ([(x, labels), (x * 2, labels)],)),
    }
