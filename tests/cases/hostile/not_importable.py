"""A file that cannot be imported."""

import torch
import no_such_package_anywhere


def audit_never():
    return torch.sin, (torch.ones(3),)
