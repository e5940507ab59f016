"""A good file beside bad ones."""

import torch


def audit_fine():
    return torch.sin, (torch.ones(3),)
