"""Breaks inside libraries: the line of the caller is blamed, unless there is none."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent / "site-packages"))

import somelib  # noqa: E402


@somelib.timed
def layer(x):
    return x.sin()


def model(x):
    return layer(x * 2) + 1  # break: GA005 resumes | GA005 resumes | GA084 resumes [torch<2.14]  # note: GA089 recompile | GA089 recompile [torch<2.14]


@torch.compiler.disable
def opaque(x):
    return x.cos()


def calls_disabled(x):
    return opaque(x + 1) * 2  # break: GA050 opaque


def audit_model():
    return model, (torch.ones(3),)


def audit_calls_disabled():
    return calls_disabled, (torch.ones(3),)
